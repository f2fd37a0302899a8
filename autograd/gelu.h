#pragma once

#include "autograd/tape.h"

namespace bf {

/// Gaussian error linear unit, exact form: y = x Phi(x) = x (1 + erf(x / sqrt 2)) / 2, any shape
/// (Hendrycks and Gimpel, 2016).
/// Backward, with g = dL/dy and phi the normal density:  dL/dx = g (Phi(x) + x phi(x)).  Saved: x.
Variable gelu(const Variable& x);

}  // namespace bf
