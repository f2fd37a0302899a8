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
  CHECK(std::find(costs.head.begin(), costs.head.end(), "J / 1000 texts") == costs.head.end());
  CHECK(cell(costs, 1, "s / 1000 texts") == "1.200");
  CHECK(cell(costs, 1, "FLOPs cut %") == "45.0 \u00b1 7.1");
}

TEST_CASE("study_tables: by difficulty, and nothing where no run has it") {
  const ReportTable table = grouped_table(mixed_part(), "by_difficulty");
  REQUIRE(table.rows.size() == 1);
  StudyPart more = mixed_part();
  more.groups.push_back({"emotion", "budget", {StudyRun()}});  // has no difficulties: no row
  CHECK(grouped_table(more, "by_difficulty").rows == table.rows);
  CHECK(cell(table, 0, "hard, accuracy %") == "90.0");
  CHECK(cell(table, 0, "hard, heads") == "5.00 \u00b1 1.41");
  CHECK(grouped_table(mixed_part(), "by_kind").rows.empty());
  CHECK(std::isnan(grouped_value(StudyRun(), "by_kind", "same", "accuracy")));
}

TEST_CASE("study_tables: a run is set against the reference that it names") {
  const TempFolder folder;
  folder.write("scaling.jsonl",
               study_line("trec", "mha-layers-4", 1, 0.80, 4, 200, 2) +
                   with_fields(study_line("trec", "budget-layers-4", 1, 0.81, 1, 50, 1),
                               "\"reference\": \"mha-layers-4\""));
  const ReportTable table = study_table(read_study_part(folder.path(), "scaling"));
  CHECK(cell(table, 1, "reference") == "mha-layers-4");
  CHECK(cell(table, 1, "FLOPs, % of reference") == "25.0");
  CHECK(cell(table, 1, "points against reference") == "1.00");
  CHECK(cell(table, 0, "points against reference") == "-");
  CHECK(cell(table, 0, "ceiling") == "-");
}

TEST_CASE("study_tables: energy per 1,000 texts; memory of training only where it was trained") {
  StudyPart part{"budgets", {}};
  for (const bool trained : {true, false}) {
    StudyRun run;
    run.record = {
        {"trained", trained},
        {"test", {{"examples", 500}, {"peak_process_bytes", 3e6}}},
        {"energy",
         {{"joules_per_1000_texts", 4}, {"gco2_per_1000_texts", 0.0005}, {"source", "a counter"}}}};
    part.groups.push_back({"trec", trained ? "budget" : "budget-1", {run}});
  }
  const ReportTable table = cost_table(part);
  CHECK(cell(table, 0, "J / 1000 texts") == "4.000");
  CHECK(cell(table, 0, "CO2 mg / 1000 texts") == "0.500");
  CHECK(cell(table, 0, "peak process MB, training") == "3.0");
  CHECK(cell(table, 0, "energy by") == "a counter; 450 g CO2 per kWh");
  CHECK(cell(table, 1, "J / 1000 texts") == "4.000");
  CHECK(cell(table, 1, "peak process MB, training") == "-");
}

TEST_CASE("study_tables: for whom the heads are") {
  StudyPart part{"main", {{"trec", "mha", {StudyRun()}}, {"trec", "budget", {}}}};
  for (const double heads : {4.0, 6.0}) {
    StudyRun run;
    run.record = {
        {"class_names", {"ABBR", "DESC"}},
        {"test",
         {{"layers", {{{"heads_mean", 1}, {"head_usage", {0.1, 1.0}}}, {{"head_usage", {0.9, 0}}}}},
          {"by_class",
           {{{"name", "0"}, {"heads_mean_total", 2.0}},
            {{"name", "1"}, {"heads_mean_total", heads}}}},
          {"cheapest_tenth",
           {{"heads_mean_total", 2.0}, {"tokens_mean", 30.0}, {"accuracy", 0.75}}}}}};
    part.groups[1].runs.push_back(run);
  }
  const ReportTable table = whom_table(part);
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0] == std::vector<std::string>{"trec", "budget", "ABBR 2.00", "DESC 5.00",
                                                  "2.00", "30.0", "75.0", "-", "-", "-",
                                                  "1/2 2/1"});
  part.groups[1].runs.resize(1);
  part.groups[1].runs[0].record["test"]["by_class"][1]["heads_mean_total"] = 2.0;
  CHECK(cell(whom_table(part), 0, "with the most") == "each 2.00");
  CHECK(cell(whom_table(part), 0, "class with the fewest heads, all layers") == "each 2.00");
  CHECK(usual_heads({{"head_usage", {{0.5, 0.51}}}}) == "1/2");
  CHECK(usual_heads(nullptr).empty());
}

TEST_CASE("study_tables: rank correlations of the variants that have any") {
  StudyRun run;
  run.record["test"] = {{"spearman_heads_length", -0.5}};
  const StudyPart part{"main", {{"trec", "mha", {StudyRun()}}, {"trec", "budget", {run}}}};
  const ReportTable table = correlation_table(part);
  REQUIRE(table.rows.size() == 1);
  CHECK(table.head == std::vector<std::string>{"data set", "variant", "heads and length"});
  CHECK(table.rows[0] == std::vector<std::string>{"trec", "budget", "-0.50"});
  CHECK(correlation_table(StudyPart()).rows.empty());
}
