#include "experiments/report_texts.h"

#include <doctest/doctest.h>

using namespace bf;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Two layers of two heads; easy texts run one head in each layer, hard ones one or two.
RunRecord record_with_texts(bool generated) {
  RunRecord run;
  run.config = {
      {"dataset", "any"},
      {"model", {{"attention", "budget"}, {"transformer", {{"layers", 2}, {"heads", 2}}}}}};
  run.class_names = {"no", "yes"};
  const std::vector<std::vector<std::vector<Index>>> heads = {
      {{0}, {1}}, {{0}, {1}}, {{0, 1}, {0, 1}}, {{1}, {0, 1}}};
  for (Index i = 0; i < heads.size(); ++i) {
    TestText text;
    text.index = i;
    text.label = i % 2;
    text.prediction = 0;
    text.tokens = 10 + i;
    text.loss = 0.1 * static_cast<double>(i);
    text.heads = heads[i];
    if (generated) {
      text.difficulty = i < 2 ? "easy" : "hard";
      text.kind = i < 2 ? "keyword" : (i == 2 ? "above" : "same");
    }
    run.texts.push_back(text);
  }
  return run;
}

}  // namespace

TEST_CASE("report_texts: for whom, by difficulty or by class") {
  CHECK(for_whom(record_with_texts(true)) ==
        std::vector<std::string>{
            "For whom, heads in all layers by difficulty: hard 3.50, easy 2.00.",
            "Rank correlation (Spearman) of a text's heads with its difficulty 0.94, with its "
            "length 0.74, with its loss 0.74."});
  CHECK(for_whom(record_with_texts(false))[0] ==
        "For whom, heads in all layers by class: no 3.00, yes 2.50.");
  RunRecord even = record_with_texts(false);
  for (TestText& text : even.texts) text.heads = {{0}, {0}};
  CHECK(for_whom(even)[1] == "Every text gets the same number of heads.");
  CHECK(for_whom(RunRecord()).empty());
}

TEST_CASE("report_texts: kinds stand in the order of difficulty with the heads that serve them") {
  const HeatMap map = kind_map(record_with_texts(true));
  CHECK(map.rows == std::vector<std::string>{"keyword (easy)", "above (hard)", "same (hard)"});
  CHECK(map.columns == std::vector<std::string>{"1", "2", "1", "2"});
  CHECK(map.values == std::vector<std::vector<double>>{{1, 0, 0, 1}, {1, 1, 1, 1}, {0, 1, 1, 1}});
  CHECK(map.groups.size() == 2);
  CHECK(kind_map(record_with_texts(false)).values.empty());
}

TEST_CASE("report_texts: the cheapest and the dearest texts in numbers") {
  const ReportTable table = extremes_table(record_with_texts(false));
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0] == std::vector<std::string>{"lowest s (a tenth)", "1", "2.00", "10.0",
                                                  "0.000", "100.0 %", "no 100 %"});
  CHECK(table.rows[1][5] == "50.0 %");
  CHECK(table.rows[2][2] == "4.00");
  CHECK(extremes_table(RunRecord()).rows.empty());
}

TEST_CASE(
    "report_texts: the extremes are those of the summary, with equal heads by their budgets") {
  RunRecord run = record_with_texts(false);
  for (TestText& text : run.texts) text.heads = {{0}, {0}};
  for (Index i = 0; i < 4; ++i) run.texts[i].budgets = {i == 3 ? 0.05 : 0.1, i == 2 ? 0.9 : 0.1};
  run.summary["test"] = {{"cheapest_tenth", {{"heads_mean_total", 2.5}, {"accuracy", 0.25}}}};
  const ReportTable table = extremes_table(run);
  CHECK(table.rows[0][2] == "2.50");
  CHECK(table.rows[0][3] == "13.0");
  CHECK(table.rows[0][5] == "25.0 %");
  CHECK(table.rows[2][3] == "12.0");
}

TEST_CASE("report_texts: the page has pictures by difficulty only for generated texts") {
  for (const bool generated : {true, false}) {
    HtmlPage page("t");
    int pictures = 0;
    report_texts(page, record_with_texts(generated), [&](const std::string&) {
      ++pictures;
      return std::string("PICTURE");
    });
    CHECK(pictures == (generated ? 7 : 4));
    CHECK(holds(page.html(), "dearest"));
  }
}

TEST_CASE("report_texts: a run without texts says what is missing") {
  RunRecord run = record_with_texts(false);
  run.texts.clear();
  HtmlPage page("t");
  report_texts(page, run, [](const std::string&) { return "PICTURE"; });
  CHECK(holds(page.html(), "This run kept no test texts with their heads (test_texts.jsonl)."));
}
