#pragma once

#include "autograd/tape.h"

namespace bf {

/// Sum of all values, a scalar. Added in double over fixed blocks.
/// Backward, with g = dL/dy:  dL/dx_i = g.  Saved: the shape.
Variable sum(const Variable& x);

/// Mean of all values, a scalar.
/// Backward, with g = dL/dy:  dL/dx_i = g / size.  Saved: the shape.
/// Throws std::invalid_argument when x has no values.
Variable mean(const Variable& x);

}  // namespace bf
