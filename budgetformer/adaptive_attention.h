#pragma once

#include <optional>

#include "budgetformer/controller.h"
#include "budgetformer/head_gate.h"
#include "budgetformer/statistics.h"
#include "nn/multi_head_attention.h"

namespace bf {

/// What the policy of one layer decided in the last forward(), kept for the loss.
struct PolicyOutput {
  Variable budgets;    ///< s [B]; undefined with a fixed budget
  Variable entropies;  ///< of r = softmax(u / tau) [B]; undefined with a random gate
};

/// Multi-head attention that chooses its heads for each sequence:
///   y = sum_h gate_bh softmax(Q_h K_h^T / sqrt(d)) V_h Wo_h + bo
/// In training all heads are computed and scaled by their gates, so that every head gets a
/// gradient. In evaluation only the selected heads run (head_dispatch.h). With s = 1 and weighting
/// `none` it is MultiHeadAttention, bit for bit.
/// Shapes: x [tokens, D], y [tokens, D]. Parameters: those of MultiHeadAttention under the same
/// names, and controller.*, gate.*.
class AdaptiveMultiHeadAttention : public AttentionModule {
 public:
  AdaptiveMultiHeadAttention(const TransformerConfig& config, const BudgetConfig& budget,
                             RandomSource& random);
  Variable forward(const Variable& x, const Segments& segments) override;

  void set_state(const PolicyState& state) { state_ = state; }
  void override_budget(std::optional<double> budget) { override_ = budget; }
  void use_soft_gates(bool on) { soft_gates_ = on; }

  const PolicyOutput& policy() const { return policy_; }
  const HeadSelection& selection() const { return selection_; }
  LayerStatistics& statistics() { return statistics_; }
  const LayerStatistics& statistics() const { return statistics_; }

 private:
  Variable forward_dense(const Variable& x, const Segments& segments, const Variable* gate);
  Gates decide(const Variable& x, const Segments& segments, const PolicyState& state);

  BudgetConfig budget_;
  Index heads_;
  RandomSource& random_;
  Linear& qkv_;
  Linear& out_;
  BudgetController* controller_ = nullptr;  ///< null with a fixed budget
  HeadGate* gate_ = nullptr;                ///< null with a random gate

  PolicyState state_;
  std::optional<double> override_;
  bool soft_gates_ = false;
  PolicyOutput policy_;
  HeadSelection selection_;
  LayerStatistics statistics_;
};

}  // namespace bf
