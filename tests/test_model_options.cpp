#include "experiments/model_options.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tensor/parallel.h"

using namespace bf;

namespace {

/// The message of what `words` lead to, or "".
std::string parse(std::vector<const char*> words, RunOptions& run, OptionValues* values = nullptr) {
  OptionList options("Options");
  add_model_options(options, run);
  add_training_options(options, run);
  add_budget_options(options, run);
  words.insert(words.begin(), "bf-test");
  try {
    parse_options(static_cast<int>(words.size()), words.data(), "about", options, values);
    run.resolve();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::string problem(std::vector<const char*> words) {
  RunOptions run;
  return parse(std::move(words), run);
}

}  // namespace

TEST_CASE("model_options: the defaults are valid, and options reach their place") {
  RunOptions run;
  run.seed = 9;
  const Index before = threads();
  CHECK(parse({"--dim", "64", "--lr", "0.01", "--estimator", "relaxed", "--dense", "0.5",
               "--sparse-after", "0.8", "--controller-pool", "max", "--max-len", "99", "--threads",
               "3", "--on-nonfinite", "skip"},
              run) == "");
  CHECK(run.training.on_nonfinite == "skip");
  CHECK(run.model.transformer.dim == 64);
  CHECK(run.model.transformer.max_length == 99);
  CHECK(run.training.learning_rate.peak == 0.01);
  CHECK(run.model.budget.estimator == Estimator::relaxed);
  CHECK(run.model.budget.pool == Pool::max);
  CHECK(run.model.budget.dense == 0.5);
  CHECK(run.model.budget.sparse_after == 0.8);
  CHECK(run.model.seed == 9);
  CHECK(run.training.seed == 9);
  CHECK(threads() == 3);
  set_threads(before);
}

TEST_CASE("model_options: what is wrong is said with the option's name") {
  CHECK(problem({"--dim", "100"}) == "--dim: 100 is not divisible by --heads 8");
  CHECK(problem({"--batch", "0"}) ==
        "--batch: expected a whole number from 1 to 10000000, got \"0\"");
  CHECK(problem({"--batch", "4", "--accumulate", "5"}) ==
        "--accumulate: expected at most --batch 4, got 5");
  CHECK(problem({"--budget-min", "0.8", "--budget-max", "0.2"}) ==
        "--budget-min: 0.8 is above --budget-max 0.2");
  CHECK(problem({"--fixed-budget", "0"}).find("--fixed-budget: expected a number") == 0);
  CHECK(problem({"--fixed-budget", "1.5"}).find("--fixed-budget: expected a number") == 0);
  CHECK(problem({"--lr", "-1"}).find("--lr: expected a number") == 0);
  CHECK(problem({"--estimator", "magic"}).find("--estimator: expected one of") == 0);
  CHECK(problem({"--sparse-after", "2"}).find("--sparse-after: expected a number") == 0);
  CHECK(problem({"--clip", "nan"}).find("--clip: expected a number") == 0);
}

TEST_CASE("model_options: a width of its own frees dim from the number of heads") {
  CHECK(problem({"--dim", "100", "--head-width", "16"}) == "");
}

TEST_CASE("model_options: all values as they were given") {
  RunOptions run;
  OptionValues values;
  CHECK(parse({"--dim", "64", "--json"}, run, &values) == "");
  const nlohmann::json json = options_json(values);
  CHECK(json["dim"] == "64");
  CHECK(json["json"] == true);
  CHECK(json["heads"] == "8");
}
