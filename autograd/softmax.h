#pragma once

#include "autograd/tape.h"

namespace bf {

/// Softmax of each row at a temperature: y_j = exp(x_j / t) / sum_i exp(x_i / t).
///   x [rows, cols]   y [rows, cols]
/// Backward, with g = dL/dy:  dL/dx_j = y_j (g_j - sum_i g_i y_i) / t.  Saved: y.
/// The row maximum is taken off first, so no row overflows.
/// Throws std::invalid_argument for a rank other than 2, no columns, or t <= 0.
Variable softmax(const Variable& x, Real temperature = 1);

}  // namespace bf
