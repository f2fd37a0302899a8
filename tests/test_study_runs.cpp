#include "experiments/study_runs.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "tests/study_files.h"

using namespace bf;

TEST_CASE("study_runs: runs are grouped by data set and variant in the order of the file") {
  const TempFolder folder;
  write_main_part(folder);
  const StudyPart part = read_study_part(folder.path(), "main");
  REQUIRE(part.groups.size() == 4);
  CHECK(part.datasets() == std::vector<std::string>{"trec", "r8"});
  CHECK(part.groups[1].variant == "budget");
  CHECK(part.groups[1].runs.size() == 2);
  CHECK(part.groups[2].dataset == "r8");
  CHECK(part.reference("trec") == &part.groups[0]);
  CHECK(part.find("r8", "random") == nullptr);
  CHECK(part.groups[0].runs[0].heads_mean() == 4);
  CHECK_FALSE(part.groups[0].runs[0].budgets());
  CHECK(part.groups[1].runs[1].heads_mean() == 2);
  CHECK(part.groups[1].mean(seconds_of) == doctest::Approx(1.2));
}

TEST_CASE("study_runs: a run stands beside the reference with its seed, or beside the mean") {
  const TempFolder folder;
  folder.write("main.jsonl", study_line("trec", "mha", 1, 0.80, 4, 100, 2) +
                                 study_line("trec", "mha", 2, 0.90, 4, 100, 2) +
                                 study_line("trec", "budget", 2, 0.91, 1, 50, 1) +
                                 study_line("trec", "budget", 7, 0.91, 1, 25, 1));
  const StudyPart part = read_study_part(folder.path(), "main");
  const auto points = differences(part.groups[1], part.reference("trec"), accuracy_of);
  REQUIRE(points.size() == 2);
  CHECK(points[0] == doctest::Approx(0.01));
  CHECK(points[1] == doctest::Approx(0.06));
  CHECK(ratios(part.groups[1], part.reference("trec"), executed_of)[1] == doctest::Approx(0.25));
  CHECK(differences(part.groups[1], nullptr, accuracy_of).empty());
}

TEST_CASE("study_runs: time from the test pass where none was stated") {
  StudyRun run;
  run.record = {{"test", {{"seconds", 2}, {"examples", 500}}}};
  CHECK(seconds_of(run) == 4);
  CHECK(std::isnan(accuracy_of(run)));
  CHECK(std::isnan(run.heads_mean()));
}

TEST_CASE("study_runs: a run that stands in the file twice is named with its lines") {
  const TempFolder folder;
  const std::string run = study_line("trec", "mha", 1, 0.80, 4, 100, 2);
  const std::string file =
      folder.write("main.jsonl", run + study_line("trec", "mha", 2, 0.81, 4, 100, 2) + '\n' + run);
  CHECK_THROWS_WITH_AS(read_study_part(folder.path(), "main"),
                       (file + ":4: repeats line 1: trec, mha, seed 1").c_str(),
                       std::runtime_error);
  const std::string odd = study_line("a\x7f\u0085z", "mha", 1, 0.80, 4, 100, 2);
  folder.write("main.jsonl", odd + odd);
  CHECK_THROWS_WITH_AS(read_study_part(folder.path(), "main"),
                       (file + ":2: repeats line 1: a  z, mha, seed 1").c_str(),
                       std::runtime_error);
}

TEST_CASE("study_runs: the reference is the variant that a run names, else mha") {
  const TempFolder folder;
  folder.write("scaling.jsonl",
               study_line("trec", "mha-layers-4", 1, 0.80, 4, 200, 2) +
                   with_fields(study_line("trec", "budget-layers-4", 1, 0.80, 1, 50, 1),
                               "\"reference\": \"mha-layers-4\", \"trained\": false") +
                   with_fields(study_line("trec", "other", 1, 0.80, 1, 50, 1),
                               "\"reference\": \"missing\", \"trained\": true") +
                   study_line("trec", "mha", 1, 0.80, 4, 100, 2) +
                   study_line("trec", "budget", 1, 0.80, 1, 50, 1));
  const StudyPart part = read_study_part(folder.path(), "scaling");
  CHECK(part.reference(part.groups[1]) == &part.groups[0]);
  CHECK(part.reference(part.groups[0]) == &part.groups[0]);
  CHECK(part.reference(part.groups[2]) == nullptr);
  CHECK(part.reference(part.groups[3]) == &part.groups[3]);
  CHECK(part.reference(part.groups[4]) == &part.groups[3]);
  CHECK_FALSE(part.groups[1].runs[0].trained());
  CHECK(part.groups[2].runs[0].trained());
  CHECK(part.groups[4].runs[0].trained());
}

TEST_CASE("study_runs: variants that end in a number") {
  CHECK(number_in("budget-0.125") == 0.125);
  CHECK(family_of("jitter-budget-0.125") == "jitter-budget");
  CHECK(number_in("rows-52980") == 52980);
  CHECK(std::isnan(number_in("mha")));
  CHECK(std::isnan(number_in("no-noise")));
  CHECK(family_of("no-noise") == "no-noise");
}

TEST_CASE("study_runs: a part that was not run is empty, a broken one is named") {
  const TempFolder folder;
  CHECK(read_study_part(folder.path(), "main").groups.empty());
  const std::string file = folder.write("main.jsonl", "{}\n");
  CHECK_THROWS_WITH_AS(read_study_part(folder.path(), "main"),
                       (file + ":1: has no \"dataset\" or no \"variant\"").c_str(),
                       std::runtime_error);
  folder.write("main.jsonl", "[]\n{}\n");
  CHECK_THROWS_WITH_AS(read_study_part(folder.path(), "main"),
                       (file + ":1: is not a JSON object").c_str(), std::runtime_error);
}
