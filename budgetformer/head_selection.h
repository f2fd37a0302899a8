#pragma once

#include <vector>

#include "autograd/tape.h"
#include "budgetformer/config.h"
#include "budgetformer/schedule.h"
#include "tensor/random.h"

namespace bf {

/// Heads that a budget s in (0, 1] runs of H: min(H, max(1, ceil(s H - 1e-6))), in double. The
/// margin keeps s = 0.1f of 10 heads at 1, where a plain ceil gives 2; a budget never means no head.
Index heads_to_run(double budget, Index heads);

/// Which heads run, and with which weight, for each sequence of a batch.
struct HeadSelection {
  Index heads = 0;                ///< H
  std::vector<Index> counts;      ///< k_b, one per sequence
  Tensor mask;                    ///< [B, H], 1 where the head runs, else 0
  Tensor budgets;                 ///< s_b [B]

  Index sequences() const { return counts.size(); }
  bool runs(Index sequence, Index head) const { return mask.row(sequence)[head] != 0; }
  bool all() const;               ///< whether every head of every sequence runs
};

/// The k_b heads with the largest scores of each row; of equal scores the lower index.
///   scores [B, H]   budgets [B], fractions of H
HeadSelection select_heads(const Tensor& scores, const Tensor& budgets);

/// v = u + nu Gumbel; u itself for nu = 0, which draws nothing.   u, v [B, H]
Variable add_noise(const Variable& scores, double nu, RandomStream noise);

/// The gates of one layer in training, and the selection behind them.
struct Gates {
  Variable gate;                  ///< [B, H]
  HeadSelection selection;
};

/// Turns scores and budgets into gates that have a gradient to both.
///   scores u [B, H] of the head gate   budgets s [B] of the controller
///   v = u + nu Gumbel;  p = soft_topk(v, s H, tau);  m = the hard selection on v
///   gate = m with the gradient of p, p, or s H softmax(u / tau), by the estimator; times the
///   relevance weights where the weighting asks for them
/// With noise on v the hard selection draws k heads without replacement (Gumbel top-k, Kool et al.,
/// 2019).
Gates make_gates(const Variable& scores, const Variable& budgets, const BudgetConfig& config,
                 const PolicyState& state, RandomStream noise);

/// Weights of Weighting::relevance: w_bh = k_b r_bh / n_b with n_b the sum of r over the selected
/// heads, so that the weights of the selected heads sum to k_b. Heads that are not selected have one
/// too (their gate is 0): through it their gates still get a gradient.
///   relevance r = softmax(u / tau) [B, H]   result w [B, H]
/// Backward, with g = dL/dw and mask m:  dL/dr_h = (k_b / n_b) (g_h - m_h sum_j g_j w_j / k_b)
/// Saved: w, the selection, n.
Variable relevance_weights(const Variable& relevance, const HeadSelection& selection);

}  // namespace bf
