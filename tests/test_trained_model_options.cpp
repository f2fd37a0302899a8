#include "experiments/trained_model_options.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "experiments/training_run.h"
#include "tests/small_run.h"
#include "tests/temp_folder.h"

using namespace bf;

namespace {

void train_into(const std::string& folder, const std::string& attention) {
  std::ostringstream shown;
  Progress progress(shown, false);
  RunOptions run = small_run();
  run.model.attention = attention;
  run.training.epochs = 1;
  const TokenizedData data = load_tokenized(run.data, run.tokenizer, progress);
  train_run(data, run, run.model_for(data), "small", folder, {}, progress);
}

std::string problem(const TrainedModelOptions& options) {
  try {
    load_trained_model(options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("trained_model_options: a budget replaces the learned one") {
  const TempFolder temporary;
  train_into(temporary.path("run"), "budget");
  TrainedModel trained = load_trained_model({temporary.path("run"), "0.25", 2});
  const TokenizedSplit split{{{1, 2}, {3}}, {0, 1}};
  CHECK(evaluate(trained.model, split).heads_mean(4) == 1);
  trained = load_trained_model({temporary.path("run"), "1", 2});
  CHECK(evaluate(trained.model, split).heads_mean(4) == 4);
}

TEST_CASE("trained_model_options: a random gate keeps the number of heads and changes which") {
  const TempFolder temporary;
  train_into(temporary.path("run"), "budget");
  const TokenizedSplit split{{{1, 2}, {3}, {4, 5, 6}, {7}}, {0, 1, 0, 1}};
  TrainedModel learned = load_trained_model({temporary.path("run"), "0.5", 2});
  TrainedModel random = load_trained_model({temporary.path("run"), "0.5", 2, "random"});
  const Evaluation chosen = evaluate(learned.model, split), drawn = evaluate(random.model, split);
  bool differs = false;
  for (Index text = 0; text < 4; ++text) {
    CHECK(drawn.texts.heads_run(text) == chosen.texts.heads_run(text));
    for (Index h = 0; h < 4; ++h) {
      differs |= drawn.texts.runs(text, 0, h) != chosen.texts.runs(text, 0, h);
    }
  }
  CHECK(differs);
}

TEST_CASE("trained_model_options: other splits than those of training are refused") {
  const TempFolder folder;
  const nlohmann::json options = {{"dataset", "a"}, {"data-seed", 1}};
  const auto fault = [&](const std::string& config) -> std::string {
    folder.write("config.json", config);
    try {
      require_same_splits(folder.path(), options);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  CHECK_NOTHROW(require_same_splits(folder.path("none"), options));
  CHECK(fault(R"({"options": {"dataset": "a", "data-seed": 1}})") == "");
  CHECK(fault(R"({"options": {"dataset": "b", "data-seed": 2}})") == "");
  CHECK(fault(R"({"options": {"dataset": "a", "data-seed": 2}})") ==
        "--data-seed: the model was trained with 2, which parts the rows otherwise than 1");
  // A key that stands twice does not turn the check off.
  CHECK(fault(R"({"x": 1, "x": 1, "options": {"dataset": "a", "data-seed": 2}})") ==
        folder.path("config.json") + ": is not a JSON object");
}

TEST_CASE("trained_model_options: wrong options are named") {
  CHECK(problem({}) == "--model: give the run folder of a trained model");
  const std::string rule = "--budget: expected \"learned\" or a number above 0 and at most 1, got ";
  for (const char* budget : {"0", "1.5", "-0.5", "nan", "few", ""}) {
    CHECK(problem({"somewhere", budget, 1}) == rule + '"' + budget + '"');
  }
  const TempFolder temporary;
  train_into(temporary.path("run"), "mha");
  CHECK(problem({temporary.path("run"), "0.5", 1}) ==
        "--budget: " + temporary.path("run") + " holds a model without budgets (mha)");
  CHECK(problem({temporary.path("run"), "learned", 1, "random"}) ==
        "--gate: " + temporary.path("run") + " holds a model without budgets (mha)");
}
