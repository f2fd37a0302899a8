#pragma once

#include "autograd/tape.h"

namespace bf {

/// y = gelu(x W1^T + b1) W2^T + b2, two products and what lies between them in one operation: the
/// GELU is taken of each tile of the first product, and its slope of each tile of dL/dh, while the
/// tile is in cache.
///   x [rows, D]   w1 [F, D]   b1 [F]   w2 [D', F]   b2 [D']   y [rows, D']
/// Backward, with u = x W1^T + b1, h = gelu(u) and g = dL/dy:
///   dL/dW2 = g^T h   dL/db2 = column sums of g   du = (g W2) gelu'(u)
///   dL/dW1 = du^T x   dL/db1 = column sums of du   dL/dx = du W1
/// Saved: x, both weights, u, h. Outside the tape h takes the place of u.
/// Throws std::invalid_argument when the shapes do not fit.
Variable feed_forward(const Variable& x, const Variable& w1, const Variable& b1, const Variable& w2,
                      const Variable& b2);

}  // namespace bf
