#pragma once

#include "autograd/tape.h"

namespace bf {

/// Relaxed selection of the `budget` largest scores of each row: the entropic relaxation of top-k
/// with a fractional k,
///   p_h = sigmoid((v_h - theta) / t),  theta such that sum_h p_h = budget
///   scores v [B, H]   budget [B], in heads   p [B, H]
/// The budget is kept inside [1e-3, H - 1e-3] for the solve; at or above H, p is 1.
/// Backward, with g = dL/dp, q = p (1 - p), gbar = sum(q g) / sum(q):
///   dL/dv_h = q_h (g_h - gbar) / t   dL/dbudget = gbar
/// so the budget's gradient is the marginal value of one more head. As t -> 0, p is top-k. Inside
/// gbar, q is floored at 1e-9: it stays defined when every p is 0 or 1, where dL/dv is exactly 0.
/// Saved: p.  Throws std::invalid_argument when shapes do not fit or t <= 0.
Variable soft_topk(const Variable& scores, const Variable& budget, Real temperature);

}  // namespace bf
