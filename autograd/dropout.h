#pragma once

#include "autograd/tape.h"
#include "tensor/random.h"

namespace bf {

/// Sets each value to 0 with probability p and divides the others by 1 - p (Srivastava et al.,
/// 2014), any shape. Value i stays where word i of the stream is below (1 - p) 2^32, so the mask is
/// made again in backward instead of being kept. Backward, with g = dL/dy:  dL/dx = g mask / (1 -
/// p).  Saved: the stream's address. p = 0 returns x itself.  Throws std::invalid_argument unless 0
/// <= p < 1.
Variable dropout(const Variable& x, double p, RandomStream stream);

}  // namespace bf
