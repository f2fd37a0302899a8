#pragma once

#include "autograd/tape.h"
#include "tensor/random.h"

namespace bf {

/// Sets each value to 0 with probability p and divides the others by 1 - p (Srivastava et al.,
/// 2014), any shape. The mask follows from the stream (DropoutRule in tensor/random_words.h), so it
/// is made again in backward instead of being kept. p is rounded to 1 / 65536 there, and the
/// factor fits the rounded one.
/// Backward, with g = dL/dy:  dL/dx = g mask / (1 - p).  Saved: the stream's address.
/// p = 0 returns x itself. Throws std::invalid_argument unless 0 <= p < 1.
Variable dropout(const Variable& x, double p, RandomStream stream);

/// y = x + dropout(branch), in one pass: the residual connection of a Transformer's layer.
///   x, branch, y: one shape.  Backward:  dL/dx = g   dL/dbranch = g mask / (1 - p)
/// Saved: the stream's address. Throws std::invalid_argument unless the shapes agree and
/// 0 <= p < 1.
Variable residual_dropout(const Variable& x, const Variable& branch, double p, RandomStream stream);

}  // namespace bf
