#pragma once

#include "autograd/tape.h"

/// Smooth rectifier y = log(1 + exp(x)), any shape (Dugas et al., 2000).
/// Backward, with g = dL/dy:  dL/dx = g / (1 + exp(-x)).  Saved: x.
bf::Variable softplus(const bf::Variable& x);
