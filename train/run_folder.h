#pragma once

#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "train/checkpoint.h"
#include "train/folder_lock.h"
#include "train/model_builder.h"
#include "train/tokenized_data.h"

namespace bf {

/// Longest config.json or summary.json that is read: 64 MiB.
constexpr Index longest_summary_bytes = Index{64} << 20;

/// The results of one training run:
///   config.json        what was asked for: options, model, training, environment; written first
///   metrics.jsonl      one object per logged step and per epoch
///   model.safetensors  the weights of the best epoch; model, classes and tokenizer in its metadata
///   test_texts.jsonl   one object per test text (train/text_json.h), next to last
///   summary.json       the outcome; written last, so a folder that has it is complete
///   checkpoint/        while it runs: where to go on after an interruption
///   lock               while it runs: the process that works here
/// Every file but metrics.jsonl appears whole or not at all.
class RunFolder {
 public:
  /// Makes the folder (and those above it) and locks it as long as this object lives. Throws
  /// std::runtime_error when it cannot, or when another process works there (FolderLock).
  explicit RunFolder(const std::string& path);

  /// Throws std::runtime_error when `path` holds a file of a run, or a checkpoint folder that is
  /// not empty: nothing is ever overwritten or removed that this run did not make.
  static void require_free(const std::string& path);

  /// Writes config.json of a new run. Throws as require_free(). This and what follows throw
  /// std::runtime_error, naming the file, when it cannot be written.
  void begin(const nlohmann::json& config);
  /// Goes on with an interrupted run: of metrics.jsonl the first `metrics_bytes` stay, and what a
  /// killed process left under temporary names goes. Throws std::runtime_error when metrics.jsonl
  /// is shorter or not a regular file.
  void resume(Index metrics_bytes);

  /// Appends one line to metrics.jsonl and flushes it.
  void add_metric(const nlohmann::json& metric);
  /// Length of metrics.jsonl, all of it on the disk.
  Index metrics_bytes();
  const CheckpointFolder& checkpoints() const { return checkpoints_; }
  /// Writes model.safetensors.
  void save_model(Model& model, const Tokenizer& tokenizer, const TokenizerConfig& tokenizer_config,
                  const std::vector<std::string>& class_names);
  /// Writes summary.json: the run is complete. Then tidy().
  void finish(const nlohmann::json& summary);
  /// Removes what only an interrupted run needs: its checkpoints and unfinished files.
  void tidy();
  /// Whether a complete run is left as finish() leaves it. If not, it was killed before it came to
  /// tidy(), or is about to.
  static bool is_tidy(const std::string& path);
  const std::string& path() const { return path_; }

 private:
  std::string file(const char* name) const { return path_ + '/' + name; }

  void open_metrics();

  std::string path_;
  FolderLock lock_;
  CheckpointFolder checkpoints_;
  std::ofstream metrics_;
};

enum class FolderState {
  empty,        ///< no such folder, or nothing of a run in it
  interrupted,  ///< a run that has begun and is not complete (it may be under way)
  finished      ///< a complete run
};
/// Throws std::runtime_error when it cannot be told.
FolderState folder_state(const std::string& path);

/// config.json and summary.json of a run. Throw std::runtime_error, naming the file, when there is
/// none or it is not a JSON object.
nlohmann::json run_config(const std::string& path);
nlohmann::json run_summary(const std::string& path);

/// A model as it was saved, ready for texts; in evaluation mode.
struct TrainedModel {
  Model model;
  std::unique_ptr<Tokenizer> tokenizer;
  Index max_length = 0;
  std::vector<std::string> class_names;
};

/// Throws std::runtime_error when `path` is not the folder of a run or its model cannot be used.
TrainedModel load_run(const std::string& path);

}  // namespace bf
