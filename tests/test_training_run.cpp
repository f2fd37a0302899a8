#include "experiments/training_run.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/small_run.h"
#include "tests/small_task.h"
#include "tests/temp_folder.h"
#include "train/run_folder.h"
#include "train/text_json.h"

using namespace bf;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("training_run: the folder holds the model that was tested, its log and its summary") {
  const TempFolder temporary;
  const std::string out = temporary.path("run");
  std::ostringstream shown;
  Progress progress(shown, false);
  RunOptions run = small_run();
  run.log_every = 3;
  const TokenizedData data = load_tokenized(run.data, run.tokenizer, progress);
  TrainingRun trained =
      train_run(data, run, run.model_for(data), "small", out, {{"seed", "1"}}, progress);
  CHECK(trained.training.steps == 8);

  TrainedModel loaded = load_run(out);
  CHECK(weights_of(loaded.model) == weights_of(trained.model));
  CHECK(evaluate(loaded.model, data.test).predictions == trained.test.predictions);

  const auto metrics = lines_of(out + "/metrics.jsonl");
  REQUIRE(metrics.size() == 5);  // steps 1, 3 and 6, two epochs
  CHECK(nlohmann::json::parse(metrics[0])["step"]["step"] == 1);
  CHECK(nlohmann::json::parse(metrics[4])["epoch"]["epoch"] == 2);
  std::ifstream file(out + "/summary.json");
  const nlohmann::json summary = nlohmann::json::parse(file);
  CHECK(summary["test"]["accuracy"] == trained.test.scores.accuracy);
  CHECK(summary["class_names"] == nlohmann::json{"no", "yes"});
  CHECK(summary["test"]["by_difficulty"][0]["name"] == "easy");
  const auto texts = lines_of(out + "/test_texts.jsonl");
  REQUIRE(texts.size() == data.test.size());
  CHECK(nlohmann::json::parse(texts[7]) == text_json(trained.test, data.test, 7));
  std::ifstream config(out + "/config.json");
  CHECK(nlohmann::json::parse(config)["options"]["seed"] == "1");

  CHECK(shown.str().find("small  step 1/8  loss ") != std::string::npos);
  CHECK(shown.str().find("small  epoch 2  train loss ") != std::string::npos);
  CHECK(shown.str().find("training, ") != std::string::npos);
}

TEST_CASE("training_run: without a folder nothing is written") {
  std::ostringstream shown;
  Progress progress(shown, false);
  const RunOptions run = small_run();
  const TokenizedData data = load_tokenized(run.data, run.tokenizer, progress);
  CHECK(train_run(data, run, run.model_for(data), "small", "", {}, progress).test.examples > 0);
}
