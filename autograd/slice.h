#pragma once

#include "autograd/tape.h"

namespace bf {

/// Rows first .. first + count - 1 of x (a view), or columns likewise (a copy).
///   x [rows, cols]
/// Backward, with g = dL/dy: dL/dx is g at those rows or columns and 0 elsewhere.  Saved: nothing.
/// Throws std::invalid_argument when the range is outside x.
Variable slice_rows(const Variable& x, Index first, Index count);
Variable slice_cols(const Variable& x, Index first, Index count);

}  // namespace bf
