#pragma once

#include "autograd/tape.h"
#include "tensor/segments.h"

namespace bf {

/// Mean of each sequence's rows: y_b = sum over t in b of x_t / length(b).
///   x [tokens, D]   y [B, D]
/// Backward, with g = dL/dy:  dL/dx_t = g_b / length(b) for the sequence b of t.
/// Saved: the segments.  Throws std::invalid_argument when the rows are not the segments' tokens.
Variable segment_mean(const Variable& x, const Segments& segments);

}  // namespace bf
