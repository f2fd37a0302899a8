#pragma once

#include "autograd/tape.h"

namespace bf {

/// Matrix product y = a b.
///   a [rows, inner]   b [inner, cols]   y [rows, cols]
/// Backward, with g = dL/dy [rows, cols]:
///   dL/da = g b^T [rows, inner]   dL/db = a^T g [inner, cols]
/// Saved: a, b.  Throws std::invalid_argument if the inner dimensions differ.
Variable matmul(const Variable& a, const Variable& b);

}  // namespace bf
