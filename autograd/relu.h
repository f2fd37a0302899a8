#pragma once

#include "autograd/tape.h"

namespace bf {

/// y = max(0, x), any shape. A NaN stays NaN.
/// Backward, with g = dL/dy:  dL/dx = g where x > 0, else 0 (0 at x = 0).  Saved: x.
Variable relu(const Variable& x);

}  // namespace bf
