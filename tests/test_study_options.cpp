#include "experiments/study_options.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/temp_folder.h"

using namespace bf;

namespace {

Study parsed(const CommandLine& arguments) {
  StudyOptions options;
  const OptionList list = study_option_list(options);
  std::vector<const char*> argv{"bf-compare"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  OptionValues values;
  parse_options(static_cast<int>(argv.size()), argv.data(), "", list, &values);
  return study_of(options, values, "main");
}

}  // namespace

TEST_CASE("study_options: what was given goes to every run, what concerns the grid does not") {
  const Study study = parsed({"--datasets", "trec,r8", "--data-dir", "data", "--seeds", "3,5",
                              "--dim", "64", "--jobs", "2", "--epochs", "4", "--json"});
  const Settings base = {{"dim", "64"}, {"epochs", "4"}};
  CHECK(study.base == base);
  const Settings r8 = {{"dataset", "r8"}, {"data-dir", "data/r8"}};
  REQUIRE(study.data_sets.size() == 2);
  CHECK(study.data_sets[1] == r8);
  CHECK(study.seeds == std::vector<std::uint64_t>{3, 5});
  CHECK(study.jobs == 2);
  CHECK(study.part == "main");
}

TEST_CASE("study_options: one data set and one seed are the rule") {
  const Study study = parsed({"--dataset", "synthetic", "--seed", "9"});
  const Settings synthetic = {{"dataset", "synthetic"}};
  CHECK(study.data_sets == std::vector<Settings>{synthetic});
  CHECK(study.seeds == std::vector<std::uint64_t>{9});
}

TEST_CASE("study_options: mistakes in lists are named") {
  CHECK_THROWS_WITH_AS(parsed({"--seeds", "1,x"}), "--seeds: expected whole numbers, got \"x\"",
                       UsageError);
  CHECK_THROWS_WITH_AS(parsed({"--seeds", "1,1"}), "--seeds: 1 is given twice", UsageError);
  CHECK_THROWS_AS(parsed({"--datasets", "trec,moon"}), UsageError);
  CHECK_THROWS_WITH_AS(check_list("--attention", {"a", "a"}, {"a", "b"}),
                       "--attention: \"a\" is given twice", UsageError);
}

TEST_CASE("study_options: a folder with results is only used again when asked for") {
  const TempFolder folder;
  std::ofstream(folder.path("results.jsonl")) << "{}";
  CHECK_THROWS_WITH_AS(
      parsed({"--dataset", "synthetic", "--out", folder.path("")}),
      (folder.path("") + ": holds results already; give --resume or another --out").c_str(),
      std::runtime_error);
  CHECK(parsed({"--dataset", "synthetic", "--out", folder.path(""), "--resume"}).seeds.size() == 1);
}
