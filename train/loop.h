#pragma once

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
  Energy energy;       ///< of its updates and validation, as far as this process made them
  Evaluation validation;
  double soft_accuracy = 0;  ///< validation accuracy with relaxed gates; equal for mha
  bool in_force = true;      ///< policy_in_force() at its end
  bool best = false;         ///< the best so far
};

/// Sums over the updates so far of the epoch that is under way.
struct EpochSums {
  double examples = 0;               ///< 0 between two epochs
  double loss = 0, policy_loss = 0;  ///< of each example, added up
  double seconds = 0;
};

/// Makes one update after another. Everything random is a function of (seed, step).
class Trainer {
 public:
  /// Model and split must outlive the trainer. Throws as TrainingConfig::check, and
  /// std::invalid_argument for an empty split.
  Trainer(Model& model, const TokenizedSplit& split, const TrainingConfig& config);

  /// Throws std::runtime_error, naming the step, when the loss or a gradient is not finite.
  StepReport step();
  /// Whether the last update of the epoch under way is made: end_epoch() is then due.
  bool epoch_complete() const;
  /// The report, still without validation, of the epoch under way.
  EpochReport end_epoch();

  bool done() const { return step_ == total_steps_; }
  Index steps() const { return step_; }
  Index total_steps() const { return total_steps_; }
  /// f in (0, 1] after the last step.
  double progress() const;
  const EpochSums& sums() const { return sums_; }
  AdamW& optimizer() { return optimizer_; }
  const AdamW& optimizer() const { return optimizer_; }
  /// Goes on as after `steps` updates; weights and the optimizer's state are restored by the
  /// caller, everything else follows. Throws std::invalid_argument beyond total_steps().
  void restore(Index steps, const EpochSums& sums);

 private:
  Index epoch() const { return step_ == 0 ? 0 : 1 + (step_ - 1) / steps_per_epoch_; }
  const std::vector<Index>& next_examples();
  std::vector<Index> passes_of(std::span<const Index> examples) const;
  void pass(const Batch& batch, double share, StepReport& report);

  Model& model_;
  const TokenizedSplit& split_;
  TrainingConfig config_;
  AdamW optimizer_;
  Index steps_per_epoch_, total_steps_;
  Index step_ = 0;
  EpochSums sums_;
  Index planned_epoch_ = 0;  ///< of plan_; 0 = none yet
  BatchPlan plan_;
};

/// Whether the policy is, at progress f, what the model will be used with: the warm start is over
/// and the price has its full height. Always true for mha.
bool policy_in_force(const Model& model, double progress);

}  // namespace bf
