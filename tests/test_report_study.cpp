#include "experiments/report_study.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/study_files.h"

using namespace bf;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string picture(const std::string&) { return "PICTURE"; }

}  // namespace

TEST_CASE("report_study: what was run stands there in both forms, what was not is named") {
  const TempFolder folder;
  write_main_part(folder);
  const StudyReport report = report_study(folder.path(), picture);
  CHECK(holds(report.html, "PICTURE"));
  CHECK(holds(report.html, "<td>82.00 \u00b1 1.41</td>"));
  CHECK(holds(report.html, "trec, budget, seed 1: bf-train &lt;budget&gt;"));
  CHECK(holds(report.html, "This part has not been run (no mixed.jsonl)."));
  CHECK(holds(report.markdown, "| trec | budget | 2 | 82.00 \u00b1 1.41 |"));
  CHECK(holds(report.markdown, "    trec, budget, seed 1: bf-train <budget>\n"));
  CHECK(holds(report.markdown, "## Scaling\n\nThis part has not been run (no scaling.jsonl)."));
  CHECK_FALSE(holds(report.markdown, "PICTURE"));
  REQUIRE(report.pictures.size() > 1);
  CHECK(report.pictures[1] == std::pair<std::string, std::string>{"main-2", "PICTURE"});
}

TEST_CASE("report_study: pages of single models that lie beside it are linked, by safe names") {
  const TempFolder folder;
  write_main_part(folder);
  folder.write("ag_news.html", "");
  folder.write("a&b.html", "");
  folder.write("study.html", "");
  CHECK(holds(report_study(folder.path(), picture).html,
              "from the inside: <a href=\"a&amp;b.html\">a&amp;b.html</a>, "
              "<a href=\"ag_news.html\">ag_news.html</a>.</p>"));
}

TEST_CASE("report_study: a folder without a study is an error") {
  const TempFolder folder;
  CHECK_THROWS_WITH_AS(report_study("no-such", picture), "no-such: no such study folder",
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(
      report_study(folder.path(), picture),
      (folder.path() + ": holds no part of a study (main.jsonl, mixed.jsonl, ...)").c_str(),
      std::runtime_error);
}
