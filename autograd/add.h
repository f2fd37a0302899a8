#pragma once

#include "autograd/tape.h"

namespace bf {

/// y = a + b, where b has the shape of a, or is a row [cols] added to every row of a [rows, cols].
/// Backward, with g = dL/dy:
///   dL/da = g   dL/db = g, or the column sums of g when b is a row
/// Saved: nothing.  Throws std::invalid_argument when the shapes do not broadcast.
Variable add(const Variable& a, const Variable& b);

}  // namespace bf
