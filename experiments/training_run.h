#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/model_options.h"
#include "train/progress.h"

namespace bf {

/// A model after training, with the weights of its best epoch, and what it does on the test rows.
struct TrainingRun {
  Model model;
  TrainingResult training;
  Evaluation test;
};

/// Trains the model that `config` describes on `data`, tests it once, and, if `out` is not empty,
/// keeps everything in that run folder; `options` go into its config.json. `name` stands in front
/// of every line on `progress`. The order of the rows follows config.seed.
TrainingRun train_run(const TokenizedData& data, const RunOptions& run, const ModelConfig& config,
                      const std::string& name, const std::string& out,
                      const nlohmann::json& options, Progress& progress);

/// The data set of the options as token ids; what the reader found odd goes to `progress`.
TokenizedData load_tokenized(const DatasetOptions& source, const TokenizerConfig& tokenizer,
                             Progress& progress);

}  // namespace bf
