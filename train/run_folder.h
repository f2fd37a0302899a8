#pragma once

#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "train/model_builder.h"
#include "train/tokenized_data.h"

namespace bf {

/// The results of one training run:
///   config.json        what was asked for: options, model, training, environment; written first
///   metrics.jsonl      one object per logged step and per epoch
///   model.safetensors  the weights of the best epoch; model, classes and tokenizer in its metadata
///   test_texts.jsonl   one object per test text (train/text_json.h), next to last
///   summary.json       the outcome; written last, so a folder that has it is complete
/// Every file but metrics.jsonl appears whole or not at all.
class RunFolder {
 public:
  /// Makes the folder (and those above it). Throws std::runtime_error when it cannot, or when the
  /// folder holds a run already: nothing is ever overwritten.
  RunFolder(const std::string& path, const nlohmann::json& config);

  /// Throws as the constructor does when `path` holds a run: to know it before the work begins.
  static void require_free(const std::string& path);

  /// Appends one line to metrics.jsonl and flushes it. This and the next two throw
  /// std::runtime_error, naming the file, when it cannot be written.
  void add_metric(const nlohmann::json& metric);
  /// Writes model.safetensors.
  void save_model(Model& model, const Tokenizer& tokenizer, const TokenizerConfig& tokenizer_config,
                  const std::vector<std::string>& class_names);
  /// Writes summary.json: the run is complete.
  void finish(const nlohmann::json& summary);
  const std::string& path() const { return path_; }

 private:
  std::string file(const char* name) const { return path_ + '/' + name; }

  std::string path_;
  std::ofstream metrics_;
};

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
