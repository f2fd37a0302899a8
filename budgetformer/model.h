#pragma once

#include <optional>

#include "budgetformer/adaptive_attention.h"
#include "nn/classifier.h"

namespace bf {

/// A TransformerClassifier in which every layer's attention chooses its heads.
class BudgetFormerClassifier : public TransformerClassifier {
 public:
  /// Throws std::invalid_argument as TransformerClassifier and BudgetConfig::check do.
  BudgetFormerClassifier(const TransformerConfig& config, const BudgetConfig& budget,
                         std::uint64_t seed);

  /// In training, once the warm start is over, the part `jitter` of the sequences gets a random
  /// budget, the same in every layer: k / H with k uniform in 1 ... H. The heads then learn to be
  /// useful in order of their scores (as the widths of Yu et al., "Slimmable Neural Networks",
  /// 2019), so that override_budget() works at any budget. Prices are paid on the learned ones.
  Variable forward(const Ids& ids, const Segments& segments) override;

  /// Sets the schedules of every layer to training progress f in [0, 1].
  void set_progress(double progress);
  /// Where the schedules stand since the last set_progress().
  const PolicyState& policy_state() const { return state_; }
  /// The policy's part of the loss for the last forward() in training, a scalar; undefined while
  /// the policy is dense. Means are over layers and sequences:
  ///   lambda_b mean[max(0, s - s_max) + max(0, s_min - s)] + lambda_c mean[s] - beta(f) mean[H(r)]
  ///   + lambda_z mean[max(0, |z| - 4)], with z the controller's logits
  /// The hinge on s cannot pull back a saturated sigmoid (at z = 10 its slope is 4.5e-5); the slope
  /// of the last term does not vanish.
  Variable policy_loss() const;

  /// Inference with this fraction of heads for every input instead of the learned budget; nullopt
  /// returns to the learned one. Throws std::invalid_argument outside (0, 1].
  void override_budget(std::optional<double> budget);
  /// Evaluate with the relaxed gates that training sees instead of running the selected heads only:
  /// the distance between the two accuracies is the train / inference gap.
  void use_soft_gates(bool on);
  /// Evaluate with heads chosen at random, a function of the sequence, as many as the budget says:
  /// the distance between the two accuracies is what the learned choice of heads is worth. Training
  /// is not touched.
  void use_random_gate(bool on);

  AdaptiveMultiHeadAttention& attention(Index layer) { return *attentions_[layer]; }
  Index layers() const { return attentions_.size(); }
  const BudgetConfig& budget_config() const { return budget_; }
  void reset_statistics();
  /// Heads that the last forward() ran for one sequence, summed over the layers.
  /// Throws std::invalid_argument when it had fewer sequences.
  Index heads_run(Index sequence) const;

 private:
  BudgetConfig budget_;
  PolicyState state_;
  std::vector<AdaptiveMultiHeadAttention*> attentions_;
};

}  // namespace bf
