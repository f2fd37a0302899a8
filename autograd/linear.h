#pragma once

#include "autograd/tape.h"
#include "tensor/gemm.h"

namespace bf {

/// y = x W^T + b.
///   x [rows, in]   weight [out, in]   bias [out], or undefined for none   y [rows, out]
/// Backward, with g = dL/dy [rows, out]:
///   dL/dx = g W [rows, in]   dL/dW = g^T x [out, in]   dL/db = column sums of g [out]
/// Saved: x, weight.  Throws std::invalid_argument when the shapes do not fit.
Variable linear(const Variable& x, const Variable& weight, const Variable& bias);

/// The value alone, for operations that end in such a product: y = x W^T + b, then `epilogue` for
/// each tile of it. Outside the tape the weight stays packed between calls.
void multiply_by_weight(const Tensor& x, const Variable& weight, const Variable& bias, Tensor& y,
                        Epilogue epilogue);

/// Its backward: adds to those of the three gradients that are wanted.   g [rows, out]
void linear_backward(const Tensor& g, const Tensor& x, const Tensor& weight, const GradBuffer& dx,
                     const GradBuffer& dw, const GradBuffer& db);

}  // namespace bf
