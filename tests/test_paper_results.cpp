#include "experiments/paper_results.h"

#include <doctest/doctest.h>

#include "tests/study_files.h"

using namespace bf;

TEST_CASE("paper_results: ours stand beside the paper's, a part of the rows by its name") {
  const TempFolder folder;
  folder.write("main.jsonl", study_line("ag_news (44 %)", "mha", 1, 0.90, 4, 100, 2) +
                                 study_line("ag_news (44 %)", "budget", 1, 0.91, 1, 50, 1));
  const ReportTable table = paper_table(read_study_part(folder.path(), "main"));
  REQUIRE(table.rows.size() == 5);
  CHECK(table.rows[0] == std::vector<std::string>{"AG News", "90.99", "90.22", "-0.77", "2.7",
                                                  "0.212", "ag_news (44 %)", "90.00", "91.00",
                                                  "1.00", "-", "0.250"});
  CHECK(table.rows[4][0] == "Yelp");
  CHECK(table.rows[4][6] == "-");
}

TEST_CASE("paper_results: no rows when none of the paper's data sets was run") {
  const TempFolder folder;
  write_main_part(folder);
  CHECK(paper_table(read_study_part(folder.path(), "main")).rows.empty());
}
