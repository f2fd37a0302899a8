#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/adamw.h"
#include "train/evaluate.h"
#include "train/learning_rate.h"

namespace bf {

struct TrainingConfig {
  Index epochs = 5;
  Index max_steps = 0;  ///< at most this many updates; 0 = all of the epochs
  Index batch = 32;     ///< examples of one update
  /// An update's batch is worked off in passes whose gradients add up: as many as keep a pass at
  /// about this number of tokens, and at least `accumulate`. Bounds memory and keeps to the caches.
  Index pass_tokens = default_pass_tokens;
  Index accumulate = 1;
  LearningRateConfig learning_rate;
  AdamWConfig adamw;
  double clip = 1;  ///< largest gradient norm; 0 = no clipping
  double label_smoothing = 0;
  Index patience = 0;      ///< stop after so many epochs without a better one; 0 = never
  std::uint64_t seed = 1;  ///< of the order of the examples

  /// Throws std::invalid_argument naming the field, its range and the value.
  void check() const;
};

/// One update. Losses are means over its examples.
struct StepReport {
  Index step = 0, epoch = 0;  ///< from 1
  Index examples = 0, tokens = 0;
  double loss = 0;           ///< cross entropy
  double policy_loss = 0;    ///< the budget's terms; 0 for mha and while the policy is dense
  double gradient_norm = 0;  ///< before clipping
  double learning_rate = 0;
  double seconds = 0;
  std::optional<PolicyState> policy = {};  ///< where the schedules stood; none for mha
};

struct EpochReport {
  Index epoch = 0, step = 0;  ///< from 1; the last step of the epoch
  double train_loss = 0;      ///< mean over examples, not over batches
  double train_policy_loss = 0;
  double seconds = 0;  ///< of its updates, without the validation
  Evaluation validation;
  double soft_accuracy = 0;  ///< validation accuracy with relaxed gates; equal for mha
  bool in_force = true;      ///< policy_in_force() at its end
  bool best = false;         ///< the best so far
};

/// What fit() tells while it runs; each may be empty.
struct TrainingEvents {
  std::function<void(const StepReport&, Index total_steps)> step;
  std::function<void(const EpochReport&)> epoch;
};

struct TrainingResult {
  std::vector<EpochReport> epochs;
  Index best_epoch = 0;
  Index steps = 0;
  double seconds = 0;  ///< of all updates, without validation
  /// Trainable parameters that the last update had no gradient for.
  std::vector<std::string> without_gradient;
};

/// Makes one update after another. Everything random is a function of (seed, step).
class Trainer {
 public:
  /// Model and split must outlive the trainer. Throws as TrainingConfig::check, and
  /// std::invalid_argument for an empty split.
  Trainer(Model& model, const TokenizedSplit& split, const TrainingConfig& config);

  /// Throws std::runtime_error, naming the step, when the loss or a gradient is not finite.
  StepReport step();
  /// Updates up to the end of the current epoch.
  EpochReport epoch(const TrainingEvents& events);

  bool done() const { return step_ == total_steps_; }
  Index total_steps() const { return total_steps_; }
  /// f in (0, 1] after the last step.
  double progress() const;
  const AdamW& optimizer() const { return optimizer_; }

 private:
  const std::vector<Index>& next_examples();
  std::vector<Index> passes_of(std::span<const Index> examples) const;
  void pass(const Batch& batch, double share, StepReport& report);

  Model& model_;
  const TokenizedSplit& split_;
  TrainingConfig config_;
  AdamW optimizer_;
  Index steps_per_epoch_, total_steps_;
  Index step_ = 0;
  Index planned_epoch_ = 0;  ///< of plan_; 0 = none yet
  BatchPlan plan_;
};

/// Whether the policy is, at progress f, what the model will be used with: the warm start is over
/// and the price has its full height. Always true for mha.
bool policy_in_force(const Model& model, double progress);

/// Trains, validates after each epoch, and leaves the model with the weights of the best epoch by
/// validation accuracy (BestEpoch). The test split is not seen here.
TrainingResult fit(Model& model, const TokenizedSplit& train, const TokenizedSplit& validation,
                   const TrainingConfig& config, const TrainingEvents& events = {});

}  // namespace bf
