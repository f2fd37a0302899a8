#pragma once

#include "autograd/tape.h"

namespace bf {

/// Layer normalisation of each row (Ba, Kiros and Hinton, 2016):
///   y = gamma xhat + beta,  xhat = (x - mean) / sqrt(var + eps), var without Bessel's correction
///   x [rows, D]   gamma, beta [D]   y [rows, D]
/// Backward, with g = dL/dy and q = gamma g:
///   dL/dx = (q - mean(q) - xhat mean(q xhat)) / sqrt(var + eps)
///   dL/dgamma = column sums of g xhat   dL/dbeta = column sums of g
/// Saved: x, gamma, and mean and 1 / sqrt(var + eps) of each row.
/// Throws std::invalid_argument when the shapes do not fit.
Variable layer_norm(const Variable& x, const Variable& gamma, const Variable& beta,
                    Real eps = Real(1e-5));

}  // namespace bf
