#pragma once

#include "autograd/tape.h"

namespace bf {

/// y = 1 / (1 + exp(-x)), any shape; no overflow at either end.
/// Backward, with g = dL/dy:  dL/dx = g y (1 - y).  Saved: y.
Variable sigmoid(const Variable& x);

}  // namespace bf
