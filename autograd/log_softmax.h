#pragma once

#include "autograd/tape.h"

namespace bf {

/// Logarithm of the softmax of each row: y_j = x_j - log sum_i exp(x_i).
///   x [rows, cols]   y [rows, cols]
/// Backward, with g = dL/dy:  dL/dx_j = g_j - exp(y_j) sum_i g_i.  Saved: y.
/// Throws std::invalid_argument for a rank other than 2 or no columns.
Variable log_softmax(const Variable& x);

/// The computation itself, for operations that build on it.   x [rows, cols]
Tensor log_softmax_rows(const Tensor& x, Real temperature = 1);

}  // namespace bf
