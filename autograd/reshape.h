#pragma once

#include "autograd/tape.h"

namespace bf {

/// The same values under another shape of the same size, as a view.
/// Backward, with g = dL/dy: g under the shape of x.  Saved: that shape.
/// Throws std::invalid_argument, naming both shapes and sizes, when the sizes differ.
Variable reshape(const Variable& x, const Shape& shape);

}  // namespace bf
