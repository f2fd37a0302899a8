#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "budgetformer/controller.h"
#include "budgetformer/head_gate.h"
#include "budgetformer/sequence_pool.h"
#include "budgetformer/statistics.h"
#include "nn/encoder.h"

namespace bf {

/// What the policy of one layer decided in the last forward(), kept for the loss.
struct PolicyOutput {
  Variable budgets;    ///< s [B]; undefined with a fixed budget
  Variable logits;     ///< of s, before the sigmoid [B]; undefined with a fixed budget
  Variable entropies;  ///< of r = softmax(u / tau) [B]; undefined with a random gate
};

/// Multi-head attention that chooses its heads for each sequence:
///   y = sum_h gate_bh softmax(Q_h K_h^T / sqrt(d)) V_h Wo_h + bo
/// In training all heads are computed and scaled by their gates, so that every gate gets a
/// gradient, until the state says `sparse`: from then on only the selected heads run, forward and
/// backward (head_dispatch.h), and the gates of the others get none. In evaluation only the
/// selected heads run, too; while operations are recorded (no NoGrad), evaluation computes all
/// heads and scales them by the hard gates, which is the same function. With s = 1 and weighting
/// `none` it is MultiHeadAttention, bit for bit. Shapes: x [tokens, D], y [tokens, D]. Parameters:
/// those of MultiHeadAttention under the same names, and pool.*, controller.*, gate.*.
class AdaptiveMultiHeadAttention : public AttentionModule {
 public:
  AdaptiveMultiHeadAttention(const TransformerConfig& config, const BudgetConfig& budget,
                             RandomSource& random);
  Variable forward(const Variable& x, const Segments& segments) override;
  /// Of all heads, whichever run.
  Variable project(const Variable& x) const override { return qkv_.forward(x); }

  /// Where the schedules stand; inference_policy() until the first call.
  void set_state(const PolicyState& state) { state_ = state; }
  /// One budget in (0, 1] for every sequence; see BudgetFormerClassifier, which checks the range.
  void override_budget(std::optional<double> budget) { override_ = budget; }
  /// Budgets [B] that the sequences of the next forward() in training get instead of the learned
  /// ones; 0 leaves a sequence its own. An undefined tensor leaves all.
  void set_drawn_budgets(Tensor budgets) { drawn_ = std::move(budgets); }
  /// Evaluation with relaxed gates, as in BudgetFormerClassifier.
  void use_soft_gates(bool on) { soft_gates_ = on; }
  /// Evaluation with random heads, as in BudgetFormerClassifier.
  void use_random_gate(bool on) { random_gate_ = on; }
  /// One number for each sequence of the next forward(): in evaluation, random heads are a function
  /// of it, so they do not depend on the other sequences of the batch. Without, it is the position.
  void set_sequence_keys(std::vector<std::uint64_t> keys) { keys_ = std::move(keys); }

  const PolicyOutput& policy() const { return policy_; }
  const HeadSelection& selection() const { return selection_; }
  LayerStatistics& statistics() { return statistics_; }
  const LayerStatistics& statistics() const { return statistics_; }

 private:
  struct Scores {
    Variable scores;                  ///< u [B, H]
    BudgetController::Output budget;  ///< s [B], and the logits of a learned budget
  };

  /// Pools x and asks controller and gate; keeps policy_ for the loss.
  Scores score(const Variable& x, const Segments& segments);
  /// Gates [B, H] for a forward with all heads.
  Variable choose_gates(const Scores& scores);
  /// The hard selection alone, for the dispatch of selected heads.
  void choose_heads(const Scores& scores);
  void note(HeadSelection selection, const Scores& scores);
  /// Whether noise alone chooses the heads.
  bool random_heads() const { return !gate_ || (random_gate_ && !training()); }
  /// v [B, H]: the scores with the noise of training or of random heads.
  Variable with_noise(const Variable& scores);
  /// All heads, scaled by their gates if there are any.
  Variable forward_all_heads(const Variable& x, const Segments& segments, const Variable* gate);

  BudgetConfig budget_;
  Index heads_;
  RandomSource& random_;
  Linear& qkv_;
  Linear& out_;
  SequencePool& pool_;
  BudgetController* controller_ = nullptr;  ///< null with a fixed budget
  HeadGate* gate_ = nullptr;                ///< null with a random gate

  PolicyState state_;
  std::optional<double> override_;
  Tensor drawn_;
  bool soft_gates_ = false, random_gate_ = false;
  RandomStream eval_noise_;  ///< of random heads in evaluation, which draws nothing
  std::vector<std::uint64_t> keys_;
  PolicyOutput policy_;
  HeadSelection selection_;
  LayerStatistics statistics_;
};

}  // namespace bf
