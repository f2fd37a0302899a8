#pragma once

#include "autograd/tape.h"

namespace bf {

/// y = a b, element by element; both of one shape.
/// Backward, with g = dL/dy:  dL/da = g b   dL/db = g a.  Saved: a, b.
/// Throws std::invalid_argument when the shapes differ.
Variable multiply(const Variable& a, const Variable& b);

}  // namespace bf
