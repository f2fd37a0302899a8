#include "experiments/trained_model_options.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "tensor/printable.h"
#include "tensor/require.h"
#include "train/input_file.h"

namespace bf {
namespace {

double budget_value(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || !(value > 0 && value <= 1)) {
    throw UsageError(
        join_parts("--budget: expected \"learned\" or a number above 0 and at most 1, "
                   "got \"",
                   text, '"'));
  }
  return value;
}

}  // namespace

void add_trained_model_options(OptionList& options, TrainedModelOptions& trained) {
  add_text(options, "model", trained.model, "run folder of bf-train");
  add_text(options, "budget", trained.budget,
           "share of the heads, in (0, 1], for every text instead of the learned budget");
  add_choice(options, "gate", trained.gate,
             "which heads of each text run: the learned choice, or as many drawn at random",
             {"learned", "random"});
  add_threads_option(options, trained.threads);
}

TrainedModel load_trained_model(const TrainedModelOptions& options) {
  if (options.model.empty()) throw UsageError("--model: give the run folder of a trained model");
  const bool fixed = options.budget != "learned";
  const double budget = fixed ? budget_value(options.budget) : 0;
  use_threads(options.threads);
  TrainedModel trained = load_run(options.model);
  const bool random = options.gate == "random";
  if (trained.model.budget == nullptr && (fixed || random)) {
    throw UsageError(join_parts(fixed ? "--budget: " : "--gate: ", options.model,
                                " holds a model without budgets (mha)"));
  }
  if (fixed) trained.model.budget->override_budget(budget);
  if (random) trained.model.budget->use_random_gate(true);
  return trained;
}

void require_same_splits(const std::string& run_folder, const nlohmann::json& options) {
  if (!is_there(run_folder + "/config.json")) return;
  const nlohmann::json config = run_config(run_folder);
  const bool known = config.contains("options");
  if (!known || !config["options"].is_object()) return;
  const nlohmann::json& trained = config["options"];
  if (!trained.contains("dataset") || trained["dataset"] != options.at("dataset")) return;
  for (const char* name : {"data-seed", "validation-fraction"}) {
    if (!trained.contains(name) || trained[name] == options.at(name)) continue;
    throw UsageError(join_parts("--", name, ": the model was trained with ",
                                shortened(trained[name].dump()),
                                ", which parts the rows otherwise than ", options.at(name)));
  }
}

}  // namespace bf
