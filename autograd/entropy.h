#pragma once

#include "autograd/tape.h"

namespace bf {

/// Entropy of the softmax of each row at a temperature: with p = softmax(x / t),
/// y = -sum_j p_j log p_j, in nats.
///   x [rows, cols] scores   y [rows]
/// Backward, with g = dL/dy:  dL/dx_j = -g p_j (log p_j + y) / t.  Saved: log p, y.
/// Taken from the scores and not from p, so that a saturated row (p_j = 0) has the finite value and
/// gradient 0.  Throws std::invalid_argument as softmax does.
Variable entropy(const Variable& scores, Real temperature = 1);

}  // namespace bf
