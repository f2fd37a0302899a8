#pragma once

#include "autograd/tape.h"
#include "tensor/segments.h"

namespace bf {

/// Maximum of each sequence's rows, column by column: y_bj = max over t in b of x_tj. A NaN wins.
///   x [tokens, D]   y [B, D]
/// Backward, with g = dL/dy:  dL/dx_tj = g_bj at the first t that attains the maximum, else 0.
/// Saved: those positions.
/// Throws std::invalid_argument when the rows are not the segments' tokens.
Variable segment_max(const Variable& x, const Segments& segments);

}  // namespace bf
