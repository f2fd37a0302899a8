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

/// k_b r_h / sum of r over the selected heads where selected, else 0, with r = softmax(u / tau): the
/// weights of Weighting::relevance; they sum to k_b.
///   relevance r [B, H]   mask [B, H]   result [B, H]
/// Backward, with w the result, n_b = sum of selected r, g = dL/dw, and gbar = sum_h g_h w_h / k_b:
///   dL/dr_h = m_h (k_b / n_b) (g_h - gbar)
Variable relevance_weights(const Variable& relevance, const HeadSelection& selection);

}  // namespace bf
