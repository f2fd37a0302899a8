#pragma once

#include "autograd/tape.h"

namespace bf {

/// Forward `hard`, backward `soft` (Bengio et al., "Estimating or Propagating Gradients Through
/// Stochastic Neurons", 2013): y = hard + soft - stop_gradient(soft), without the rounding.
///   hard, soft, y of one shape
/// Backward, with g = dL/dy:  dL/dsoft = g.  Saved: nothing.
/// Throws std::invalid_argument when the shapes differ.
Variable straight_through(const Tensor& hard, const Variable& soft);

}  // namespace bf
