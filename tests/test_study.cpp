#include "experiments/study.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tensor/require.h"
#include "tests/temp_folder.h"
#include "train/run_folder.h"

using namespace bf;

namespace {

/// Two attentions and a use of the second with all heads, on tiny generated texts.
Study small_study(const std::string& out) {
  Study study;
  study.part = "small";
  study.base = {{"rows", "120"}, {"difficulty", "easy"}, {"dim", "16"}, {"heads", "4"},
                {"layers", "1"}, {"epochs", "2"},        {"lr", "3e-3"}};
  study.data_sets = {{{"dataset", "synthetic"}}};
  study.seeds = {4};
  study.variants = {{.name = "mha", .settings = {{"attention", "mha"}}},
                    {.name = "budget", .settings = {{"attention", "budget"}}},
                    {.name = "all", .model_of = "budget", .budget = "1"}};
  study.trainer = sibling_program("../experiments/bf-train");
  study.out = out;
  return study;
}

std::vector<nlohmann::json> run_quietly(const Study& study, std::string* shown = nullptr) {
  std::ostringstream stream;
  Progress progress(stream, false);
  auto results = run_study(study, progress);
  if (shown != nullptr) *shown = stream.str();
  return results;
}

}  // namespace

TEST_CASE("study: changes replace values in their place and add what is new at the end") {
  const Settings base = {{"dim", "64"}, {"heads", "8"}};
  const Settings changed = {{"dim", "32"}, {"heads", "8"}, {"noise", "0"}};
  CHECK(merged(base, {{"noise", "0"}, {"dim", "32"}}) == changed);
}

TEST_CASE("study: a run is a command line of bf-train, pruning comes after what it prunes") {
  Study study = small_study("out");
  study.variants.insert(study.variants.begin(),
                        {.name = "pruned", .settings = {{"heads", "1"}}, .pruned_from = "mha"});
  const auto runs = training_runs(study);
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].variant->name == "mha");
  CHECK(runs[2].variant->name == "pruned");
  CHECK(shell_text(runs[2].arguments()) ==
        "--rows 120 --difficulty easy --dim 16 --heads 1 --layers 1 --epochs 2 --lr 3e-3 "
        "--dataset synthetic --prune-from out/synthetic-mha-seed4 --seed 4 "
        "--out out/synthetic-pruned-seed4");
  study.variants[0].pruned_from = "nobody";
  CHECK_THROWS_WITH_AS(training_runs(study), "study: no variant is called \"nobody\"",
                       std::invalid_argument);
}

TEST_CASE("study: every variant is trained or used, tested and timed, and kept") {
  const TempFolder temporary;
  const Study study = small_study(temporary.path("out"));
  const auto results = run_quietly(study);
  REQUIRE(results.size() == 3);
  CHECK(results[0]["variant"] == "mha");
  CHECK(results[0]["dataset"] == "synthetic");
  CHECK(results[0]["trained"] == true);
  CHECK(results[2]["trained"] == false);
  CHECK(results[1]["parameters"] > results[0]["parameters"]);
  CHECK(results[0]["test"]["s_mean"] == 1);
  CHECK(results[1]["test"]["layers"].size() == 1);
  CHECK(results[2]["test"]["layers"][0]["heads_mean"] == 4);  // all of them, by hand
  CHECK(results[2]["command"].get<std::string>().find("build/experiments/bf-evaluate --model " +
                                                      study.out + "/synthetic-budget-seed4") == 0);
  for (const auto& result : results) CHECK(result["seconds_per_1000_texts"] > 0);

  // A second call trains nothing and measures nothing.
  std::string shown;
  CHECK(run_quietly(study, &shown) == results);
  CHECK(shown.find("timing") == std::string::npos);
}

TEST_CASE("study: a run that is gone is made again and measured again") {
  const TempFolder temporary;
  Study study = small_study(temporary.path("out"));
  study.variants.resize(1);
  run_quietly(study);
  const std::string folder = study.out + "/synthetic-mha-seed4";
  std::filesystem::remove_all(folder);
  study.base = merged(study.base, {{"lr", "1e-2"}});
  std::string shown;
  const auto results = run_quietly(study, &shown);
  CHECK(shown.find("timing") != std::string::npos);
  CHECK(results[0]["test"]["loss"] == run_summary(folder)["test"]["loss"]);
}

TEST_CASE("study: a finished run with other options is not taken for this one") {
  const TempFolder temporary;
  Study study = small_study(temporary.path("out"));
  study.variants.resize(1);
  run_quietly(study);
  study.base = merged(study.base, {{"epochs", "3"}});
  CHECK_THROWS_AS(run_quietly(study), std::runtime_error);  // bf-train says what differs
}

TEST_CASE("study: a flag has no value on the command line, and counts where the rows are said") {
  const TempFolder temporary;
  Study study = small_study(temporary.path("out"));
  study.base.push_back({"skip-bad-rows", ""});
  CHECK(shell_text(training_runs(study)[0].arguments()).find("--skip-bad-rows --dataset") !=
        std::string::npos);
  const std::string command = run_quietly(study)[2]["command"];
  CHECK(
      command.find("--rows 120 --difficulty easy --skip-bad-rows --dataset synthetic --budget 1") !=
      std::string::npos);
}

TEST_CASE("study: a part of a data set is called so") {
  const TempFolder temporary;
  std::string rows;
  for (int i = 0; i < 40; ++i)
    rows += join_parts('"', 1 + i % 4, "\",\"title ", i, "\",\"text\"\n");
  for (const char* name : {"train.csv", "test.csv"}) std::ofstream(temporary.path(name)) << rows;
  Study study = small_study(temporary.path("out"));
  study.base = {
      {"dim", "16"}, {"heads", "4"}, {"layers", "1"}, {"epochs", "1"}, {"min-count", "1"}};
  study.data_sets = {{{"dataset", "ag_news"}, {"data-dir", temporary.path("")}}};
  study.variants.resize(1);
  CHECK(run_quietly(study)[0]["dataset"] == "ag_news (0.0 %)");  // 40 of 120,000 rows
}

TEST_CASE("study: a run that fails is named with its command") {
  const TempFolder temporary;
  Study study = small_study(temporary.path("out"));
  study.base.push_back({"batch", "0"});
  try {
    run_quietly(study);
    FAIL("no error");
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    CHECK(text.find("--batch 0") != std::string::npos);
    CHECK(text.find(": ended with exit code 2") != std::string::npos);
  }
}
