#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/model_options.h"
#include "train/fit.h"
#include "train/progress.h"
#include "train/run_folder.h"

namespace bf {

/// A model after training, with the weights of its best epoch, and what it does on the test rows.
struct TrainingRun {
  Model model;
  TrainingResult training;
  Evaluation test;
  /// As in summary.json: "test", "training" and what else stands there. What the fields above lack
  /// of a run that was read from its folder (predictions, records of texts) is missing here too.
  nlohmann::json summary;
};

/// Trains the model that `config` describes on `data`, tests it once, and, if `out` is not empty,
/// keeps everything in that run folder; `options` go into its config.json. `name` stands in front
/// of every line on `progress`. The order of the rows follows config.seed. Training begins with the
/// weights of `start`, a model of the same shape, if there is one.
///
/// With run.resume the folder may hold a run already (folder_state): an interrupted one goes on
/// from its last checkpoint and ends with the same bits as if nothing had happened; a finished one
/// is read back. Throws std::runtime_error when it is a run of other options or other rows, naming
/// what differs (require_same_run), and without run.resume when there is one at all; Interrupted
/// on SIGINT and SIGTERM, when the update under way is made and a checkpoint is saved; NonFinite as
/// fit() does, with the last good checkpoint behind it, from which the run can go on.
TrainingRun train_run(const TokenizedData& data, const RunOptions& run, const ModelConfig& config,
                      const std::string& name, const std::string& out,
                      const nlohmann::json& options, Progress& progress, Model* start = nullptr);

/// The data set of the options as token ids; what the reader found odd goes to `progress`.
TokenizedData load_tokenized(const DatasetOptions& source, const TokenizerConfig& tokenizer,
                             Progress& progress);
/// The same with the tokenizer and length of a trained model, which gives its tokenizer away.
/// Throws std::runtime_error when the classes are not those of the model.
TokenizedData load_tokenized(const DatasetOptions& source, TrainedModel& trained,
                             Progress& progress);

}  // namespace bf
