#pragma once

#include "experiments/model_options.h"
#include "train/run_folder.h"

namespace bf {

/// What every binary that uses a trained model takes: --model, --budget, --gate, --threads.
struct TrainedModelOptions {
  std::string model;               ///< run folder of bf-train
  std::string budget = "learned";  ///< or a share of the heads in (0, 1] for every text
  Index threads = 0;
  std::string gate = "learned";  ///< or random: as many heads, but drawn
};

void add_trained_model_options(OptionList& options, TrainedModelOptions& trained);

/// Loads the model and sets its budget, its gate and the number of threads. Throws UsageError
/// without --model, for a budget outside (0, 1], and for a budget or a random gate with a model
/// that has no budgets; and as load_run() does.
TrainedModel load_trained_model(const TrainedModelOptions& options);

/// Splits that are drawn (`debian`, or a validation split) follow from the seed and fraction of the
/// data options: others than in the training of `run_folder` would put training rows among those to
/// evaluate. Throws UsageError where `options` (see options_json) differ.
void require_same_splits(const std::string& run_folder, const nlohmann::json& options);

}  // namespace bf
