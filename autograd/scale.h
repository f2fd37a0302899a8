#pragma once

#include "autograd/tape.h"

namespace bf {

/// y = factor x + offset, any shape.
/// Backward, with g = dL/dy:  dL/dx = factor g.  Saved: nothing.
Variable scale(const Variable& x, Real factor, Real offset = 0);

}  // namespace bf
