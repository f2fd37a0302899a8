#include "experiments/study_timing.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "experiments/training_run.h"
#include "tests/small_run.h"
#include "tests/temp_folder.h"
#include "train/run_folder.h"

using namespace bf;

namespace {

const Variant variant{.name = "mha", .settings = {{"attention", "mha"}}};

PlannedRun small_plan(const TempFolder& folder) {
  PlannedRun run;
  run.dataset = "synthetic";
  run.variant = &variant;
  run.seed = 1;
  run.settings = {{"dataset", "synthetic"}, {"rows", "120"}, {"difficulty", "easy"}};
  run.folder = folder.path("run");
  return run;
}

std::vector<StudyMeasurement> timed(const TempFolder& folder) {
  std::ostringstream shown;
  Progress progress(shown, false);
  return test_and_time({small_plan(folder)}, folder.path("times.json"), progress);
}

void train(const TempFolder& folder, std::uint64_t seed) {
  std::ostringstream shown;
  Progress progress(shown, false);
  RunOptions options = small_run();
  options.model.attention = "mha";
  options.model.seed = seed;
  const TokenizedData data = load_tokenized(options.data, options.tokenizer, progress);
  train_run(data, options, options.model_for(data), "small", folder.path("run"), {}, progress);
}

}  // namespace

TEST_CASE("study_timing: a model is measured once, and again when it is another") {
  const TempFolder folder;
  train(folder, 1);
  const auto first = timed(folder);
  CHECK(first[0].seconds_per_1000 > 0);
  CHECK(first[0].parameters > 0);
  CHECK(first[0].published_share == 1);
  CHECK(first[0].energy["joules_per_1000_texts"] > 0);
  CHECK(first[0].test == run_summary(folder.path("run"))["test"]);
  // What the file has is believed as long as the weights are those that it tells of.
  nlohmann::json file = nlohmann::json::parse(std::ifstream(folder.path("times.json")));
  file["mha"]["seconds_per_1000_texts"] = 1234;
  std::ofstream(folder.path("times.json")) << file;
  CHECK(timed(folder)[0].seconds_per_1000 == 1234);
  for (const char* field : {"weights", "seconds_per_1000_texts", "parameters"}) {
    CAPTURE(field);
    nlohmann::json damaged = file;
    damaged["mha"][field] = nlohmann::json::array();
    std::ofstream(folder.path("times.json")) << damaged;
    CHECK(timed(folder)[0].seconds_per_1000 < 1000);
  }
  std::filesystem::remove_all(folder.path("run"));
  train(folder, 2);
  CHECK(timed(folder)[0].seconds_per_1000 < 1000);
}

TEST_CASE("study_timing: a file that is not JSON is named") {
  const TempFolder folder;
  std::ofstream(folder.path("times.json")) << "half a fi";
  CHECK_THROWS_WITH_AS(timed(folder),
                       (folder.path("times.json") + ": is not a JSON object").c_str(),
                       std::runtime_error);
}
