#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/adamw.h"
#include "train/evaluate.h"
#include "train/learning_rate.h"
#include "train/loss_level.h"
#include "train/nonfinite.h"

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
  /// What an update does whose loss or gradient is not finite: "stop" the run, or "skip" itself, as
  /// long as not too_many() are.
  std::string on_nonfinite = "stop";

  /// Throws std::invalid_argument naming the field, its range and the value.
  void check() const;
};

/// One update. Losses are means over its examples; of a skipped one, losses and norm are NaN.
struct StepReport {
  Index step = 0, epoch = 0;  ///< from 1
  Index examples = 0, tokens = 0;
  double loss = 0;           ///< cross entropy
  double policy_loss = 0;    ///< the budget's terms; 0 for mha and while the policy is dense
  double gradient_norm = 0;  ///< before clipping
  double learning_rate = 0;
  double seconds = 0;
  std::optional<PolicyState> policy = {};  ///< where the schedules stood; none for mha
  std::string skipped = {};                ///< why nothing was updated; empty = it was
  std::optional<double> spike = {};  ///< the level of the loss before a spike that begins here
};

struct EpochReport {
  Index epoch = 0, step = 0;  ///< from 1; the last step of the epoch
  double train_loss = 0;      ///< mean over the examples of its updates, not over batches
  double train_policy_loss = 0;
  double seconds = 0;  ///< of its updates, without the validation
  /// Of its updates and validation. Where the run went on after an interruption: what was spent
  /// until the checkpoint, and from there on.
  Energy energy;
  Evaluation validation;
  double soft_accuracy = 0;  ///< validation accuracy with relaxed gates; equal for mha
  bool in_force = true;      ///< policy_in_force() at its end
  bool best = false;         ///< the best so far
  Index skipped = 0;         ///< updates that were not made
  Index loss_spikes = 0;     ///< spikes of the loss that began in it (LossLevel)
  Index first_spike = 0;     ///< the step at which the first did; 0 = none
  /// Trainable parameters that none of its updates had a gradient for, or only zeros.
  std::vector<std::string> without_gradient;
  std::vector<std::string> alarms;  ///< what has gone wrong in it (alarms.h)
};

/// Sums over the updates so far of the epoch that is under way.
struct EpochSums {
  double examples = 0;               ///< of the updates that were made
  double loss = 0, policy_loss = 0;  ///< of each example, added up
  double seconds = 0;
  Index skipped = 0, loss_spikes = 0, first_spike = 0;  ///< as in EpochReport
  std::vector<std::string> without_gradient;            ///< likewise

  /// Whether an epoch is under way.
  bool begun() const { return examples > 0 || skipped > 0; }
};

/// What a trainer is between two updates, besides the weights and the optimizer's state.
struct TrainerState {
  Index step = 0;
  EpochSums sums;
  Skips skips;
  LossLevel loss_level;
};

/// Makes one update after another. Everything random is a function of (seed, step).
class Trainer {
 public:
  /// Model and split must outlive the trainer. Throws as TrainingConfig::check, and
  /// std::invalid_argument for an empty split.
  Trainer(Model& model, const TokenizedSplit& split, const TrainingConfig& config);

  /// When loss or gradient is not finite, nothing changes, and the update is worked off once more
  /// to find the cause, every operation watched (AnomalyMode). Then, unless it is to be skipped and
  /// may be, throws NonFinite:
  ///   training: the loss is nan at step 2 (epoch 1): linear: output [8, 3] has nan at element 0;
  ///   the first parameter with a gradient that is not finite is "head.weight"
  /// in one line. Non-finite weights stop the run in any case, since no later update is any better:
  ///   ... at step 2 (epoch 1): the weight "head.bias" [3] has nan at element 0
  StepReport step();
  /// Throws NonFinite when a weight or a moment is not finite, naming the parameter:
  ///   training: after step 7 the weight "head.bias" [3] has inf at element 2
  void require_finite() const;
  /// Whether the last update of the epoch under way is made: end_epoch() is then due.
  bool epoch_complete() const;
  /// The report, still without validation, of the epoch under way.
  EpochReport end_epoch();

  bool done() const { return state_.step == total_steps_; }
  Index steps() const { return state_.step; }
  Index total_steps() const { return total_steps_; }
  /// f in (0, 1] after the last step.
  double progress() const;
  const TrainerState& state() const { return state_; }
  AdamW& optimizer() { return optimizer_; }
  const AdamW& optimizer() const { return optimizer_; }
  /// Goes on from there; weights and the optimizer's state are restored by the caller, everything
  /// else follows. Throws std::invalid_argument beyond total_steps().
  void restore(const TrainerState& state);

 private:
  enum class WhenNonFinite { complain, go_on };

  Index epoch() const { return state_.step == 0 ? 0 : 1 + (state_.step - 1) / steps_per_epoch_; }
  const std::vector<Index>& next_examples();
  std::vector<Index> passes_of(std::span<const Index> examples) const;
  void passes(std::span<const Index> examples, WhenNonFinite then, StepReport& report);
  Variable loss_of(const Batch& batch, double share, StepReport& report);
  void update(StepReport& report);
  void skip(const std::string& fault, std::span<const Index> examples, StepReport& report);
  void note(StepReport& report);

  Model& model_;
  const TokenizedSplit& split_;
  TrainingConfig config_;
  AdamW optimizer_;
  Index steps_per_epoch_, total_steps_;
  TrainerState state_;
  Index planned_epoch_ = 0;  ///< of plan_; 0 = none yet
  BatchPlan plan_;
};

/// Whether the policy is, at progress f, what the model will be used with: the warm start is over
/// and the price has its full height. Always true for mha.
bool policy_in_force(const Model& model, double progress);

}  // namespace bf
