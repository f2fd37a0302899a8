#pragma once

#include <vector>

#include "autograd/tape.h"
#include "budgetformer/config.h"
#include "budgetformer/schedule.h"
#include "tensor/random.h"

namespace bf {

/// Heads that a budget s in (0, 1] runs of H: min(H, max(1, ceil(s H - 1e-6))), in double. The
/// margin keeps s = 0.1f of 10 heads at 1, where a plain ceil gives 2; above 16 heads it is
/// 2^-24 H, twice what rounding s to float can add. A budget never means no head.
Index heads_to_run(double budget, Index heads);

/// Which heads run, and with which weight, for each sequence of a batch.
struct HeadSelection {
  Index heads = 0;            ///< H
  std::vector<Index> counts;  ///< k_b, one per sequence
  Tensor mask;                ///< [B, H], 1 where the head runs, else 0
  Tensor budgets;             ///< s_b [B]

  Index sequences() const { return counts.size(); }
  bool runs(Index sequence, Index head) const { return mask.row(sequence)[head] != 0; }
  bool all() const;  ///< whether every head of every sequence runs
};

/// The k_b heads with the largest scores of each row; of equal scores the lower index.
///   scores [B, H]   budgets [B], fractions of H
HeadSelection select_heads(const Tensor& scores, const Tensor& budgets);

/// v = u + nu Gumbel; u itself for nu = 0, which draws nothing.   u, v [B, H]
Variable add_noise(const Variable& scores, double nu, RandomStream noise);

/// The gates of one layer in training, and the selection behind them.
struct Gates {
  Variable gate;  ///< [B, H]
  HeadSelection selection;
};

/// Turns scores and budgets into gates that have a gradient to both.
///   scores u [B, H] of the head gate   budgets s [B] of the controller
///   v = u + nu Gumbel;  p = soft_topk(v, s H, tau);  m = the hard selection on v
///   gate = m with the gradient of p, p, or s H softmax(u / tau), by the estimator; times the
///   relevance weights where the weighting asks for them (the paper's gates hold them already)
/// With noise on v the hard selection draws k heads without replacement (Gumbel top-k, Kool et al.,
/// 2019).
Gates make_gates(const Variable& scores, const Variable& budgets, const BudgetConfig& config,
                 const PolicyState& state, RandomStream noise);
/// The same for a v [B, H] that has its noise already.
Gates make_gates(const Variable& scores, const Variable& noisy, const Variable& budgets,
                 const BudgetConfig& config, Real temperature);

/// Weights of Weighting::relevance. With r = softmax(u / tau) and n_b the sum of r over the
/// selected heads of sequence b,  w_bh = k_b min(1, r_bh / n_b):  the weights of the selected heads
/// sum to k_b. Heads that are not selected have a weight too, by which their gates still get a
/// gradient; the minimum keeps it at what a selected head can have at most, where noise has left
/// out a head that is more relevant than all selected ones together.
///   scores u [B, H]   result w [B, H]
/// Backward, with mask m and g = dL/dw, taken as 0 where the minimum is 1 for a head left out:
///   dL/du_h = (g_h w_h - m_h (w_h / k_b) sum_j g_j w_j) / tau
/// r / n is taken relative to the largest selected score, so it is finite where r underflows.
/// Saved: w, the selection.
/// Throws std::invalid_argument when the shapes differ or the temperature is not positive.
Variable relevance_weights(const Variable& scores, Real temperature,
                           const HeadSelection& selection);

}  // namespace bf
