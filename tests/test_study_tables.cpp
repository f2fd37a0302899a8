#include "experiments/study_tables.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/study_files.h"

using namespace bf;

namespace {

StudyPart main_part() {
  const TempFolder folder;
  write_main_part(folder);
  return read_study_part(folder.path(), "main");
}

std::string cell(const ReportTable& table, Index row, const std::string& column) {
  const auto at = std::find(table.head.begin(), table.head.end(), column);
  REQUIRE(at != table.head.end());
  return table.rows[row][static_cast<Index>(at - table.head.begin())];
}

/// Two runs of one variant with numbers by difficulty.
StudyPart mixed_part() {
  StudyPart part{"mixed", {{"synthetic", "budget", {}}}};
  for (const double heads : {4.0, 6.0}) {
    StudyRun run;
    run.record["test"]["by_difficulty"] = {
        {{"name", "easy"}, {"accuracy", 1.0}, {"heads_mean_total", 2.0}},
        {{"name", "hard"}, {"accuracy", 0.9}, {"heads_mean_total", heads}}};
    part.groups[0].runs.push_back(run);
  }
  return part;
}

}  // namespace

TEST_CASE("study_tables: mean and deviation over seeds, against multi-head attention") {
  const ReportTable table = study_table(main_part());
  REQUIRE(table.rows.size() == 4);
  CHECK(cell(table, 1, "accuracy %") == "82.00 \u00b1 1.41");
  CHECK(cell(table, 1, "points against mha") == "1.00");
  CHECK(cell(table, 1, "heads run") == "1.50 \u00b1 0.71 of 4");
  CHECK(cell(table, 1, "FLOPs, % of mha") == "55.0 \u00b1 7.1");
  CHECK(cell(table, 1, "ceiling") == "1.83 \u00b1 0.24");
  CHECK(cell(table, 1, "times as fast") == "1.67");
  CHECK(cell(table, 0, "heads run") == "4.00 of 4");
  CHECK(cell(table, 0, "ceiling") == "-");
  CHECK(cell(table, 3, "accuracy %") == "88.00");
  CHECK(cell(table, 3, "seeds") == "1");
}

TEST_CASE("study_tables: a column that no run fills is left out") {
  const ReportTable table = study_table(main_part());
  CHECK(std::find(table.head.begin(), table.head.end(), "macro F1") == table.head.end());
  const ReportTable costs = cost_table(main_part());
  CHECK(std::find(costs.head.begin(), costs.head.end(), "joules") == costs.head.end());
  CHECK(cell(costs, 1, "s / 1000 texts") == "1.200");
  CHECK(cell(costs, 1, "FLOPs cut %") == "45.0 \u00b1 7.1");
}

TEST_CASE("study_tables: by difficulty, and nothing where no run has it") {
  const ReportTable table = grouped_table(mixed_part(), "by_difficulty");
  REQUIRE(table.rows.size() == 1);
  CHECK(cell(table, 0, "hard, accuracy %") == "90.0");
  CHECK(cell(table, 0, "hard, heads") == "5.00 \u00b1 1.41");
  CHECK(grouped_table(mixed_part(), "by_kind").rows.empty());
  CHECK(std::isnan(grouped_value(StudyRun(), "by_kind", "same", "accuracy")));
}

TEST_CASE("study_tables: the findings count data sets") {
  const std::vector<std::string> found = main_findings(main_part());
  REQUIRE(found.size() == 3);
  CHECK(found[0] ==
        "Mean of seeds: BudgetFormer's accuracy is at least that of multi-head attention minus 0.3 "
        "points on 1 of 2 data sets, and higher on 1.");
  CHECK(found[1] == "It runs at most 2 heads per layer on average on 1 of 2 data sets.");
  // trec saves 45 % of the FLOPs and 40 % of the time, r8 20 % and 10 %.
  CHECK(found[2] ==
        "It saves 20 to 45 % of the FLOPs; of that saving, 50 to 89 % (median 69 %) is "
        "there on the clock.");
  CHECK(main_findings(StudyPart()).empty());
}

TEST_CASE("study_tables: every run has its command") {
  const std::vector<std::string> lines = commands(main_part());
  REQUIRE(lines.size() == 6);
  CHECK(lines[0] == "trec, mha, seed 1: bf-train <mha>");
}
