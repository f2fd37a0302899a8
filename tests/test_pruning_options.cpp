#include "experiments/pruning_options.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "experiments/training_run.h"
#include "tests/small_run.h"
#include "tests/small_task.h"
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

/// What bf-train does with these arguments before it trains.
struct Command {
  RunOptions run;
  OptionValues values;

  Command(const std::string& folder, const std::vector<const char*>& arguments) {
    OptionList list("Options");
    add_data_options(list, run.data);
    add_choice(list, "attention", run.model.attention, "which model", attention_names());
    add_model_options(list, run);
    add_prune_option(list, run);
    std::vector<const char*> all{"test", "--prune-from", folder.c_str()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    parse_options(static_cast<int>(all.size()), all.data(), "", list, &values);
  }
};

std::string problem(const std::string& folder, const std::vector<const char*>& arguments) {
  Command command(folder, arguments);
  try {
    load_prune_source(command.run, command.values);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("pruning_options: a run begins with the kept heads of another") {
  const TempFolder temporary;
  train_into(temporary.path("mha"), "mha");
  Command command(temporary.path("mha"), {"--heads", "3", "--dropout", "0.2"});
  TrainedModel source = load_prune_source(command.run, command.values);
  const TransformerConfig& shape = command.run.model.transformer;
  CHECK(command.run.model.attention == "mha");
  CHECK(shape.dim == 16);
  CHECK(shape.heads == 3);
  CHECK(shape.width == 4);
  CHECK(shape.dropout == 0.2);
  CHECK(command.run.tokenizer.max_length == 64);
  command.run.resolve();

  std::ostringstream shown;
  Progress progress(shown, false);
  RunOptions data_of_run = small_run();
  const TokenizedData data = load_tokenized(data_of_run.data, source, progress);
  nlohmann::json recorded = nlohmann::json::object();
  Model start = pruned_model(source, data.train, command.run, recorded, progress);
  CHECK(recorded["kept-heads"].size() == 2);
  CHECK(recorded["kept-heads"][0].size() == 3);
  CHECK(recorded["head-importance"][1].size() == 4);
  CHECK(shown.str().find("layer 2 keeps heads ") != std::string::npos);

  // At learning rate 0 training gives back what it began with.
  command.run.training.learning_rate.peak = 0;
  command.run.training.epochs = 1;
  TrainingRun result = train_run(data, command.run, command.run.model_for(data), "pruned",
                                 temporary.path("pruned"), recorded, progress, &start);
  CHECK(weights_of(result.model) == weights_of(start));
  CHECK(load_run(temporary.path("pruned")).model.config.transformer.heads == 3);
}

TEST_CASE("pruning_options: what does not fit the trained model is named") {
  const TempFolder temporary;
  const std::string folder = temporary.path("mha"), other = temporary.path("budget");
  train_into(folder, "mha");
  train_into(other, "budget");
  CHECK(problem(folder, {}) == "--prune-from: give --heads, how many of each layer to keep");
  CHECK(problem(folder, {"--heads", "5"}) ==
        "--heads: the model in " + folder + " has 4, cannot keep 5");
  CHECK(problem(folder, {"--heads", "2", "--attention", "budget"}) ==
        "--attention: --prune-from makes a model of mha, got budget");
  CHECK(problem(folder, {"--heads", "2", "--dim", "32"}) ==
        "--dim: the model in " + folder + " has 16, got 32");
  CHECK(problem(folder, {"--heads", "2", "--dim", "16", "--layers", "2"}) == "");
  CHECK(problem(folder, {"--heads", "2", "--max-len", "32"}) ==
        "--max-len: the model in " + folder + " has 64, got 32");
  CHECK(problem(folder, {"--heads", "2", "--min-count", "2"}) ==
        "--min-count: not with --prune-from, which takes the tokenizer of " + folder);
  CHECK(problem(other, {"--heads", "2"}) ==
        "--prune-from: " + other + " holds a model with budgets (budget), not mha");
}
