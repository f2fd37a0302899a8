#include "autograd/linear.h"

#include "tensor/gemm.h"
#include "tensor/reduce.h"
#include "tensor/require.h"

namespace bf {

void multiply_by_weight(const Tensor& x, const Variable& weight, const Variable& bias, Tensor& y,
                        Epilogue epilogue) {
  const Real* offsets = bias.defined() ? bias.value().data() : nullptr;
  if (!recording() && gemm_backend() == GemmBackend::own) {
    return gemm_bias(x, *weight.packed_transpose(), offsets, y, epilogue);
  }
  gemm_bias(x, ConstMatrix(weight.value()).t(), offsets, y, epilogue);
}

void linear_backward(const Tensor& g, const Tensor& x, const Tensor& weight, const GradBuffer& dx,
                     const GradBuffer& dw, const GradBuffer& db) {
  dx.add_by([&](Tensor& grad, Real beta) { gemm(1, g, weight, beta, grad); });
  dw.add_by([&](Tensor& grad, Real beta) { gemm(1, ConstMatrix(g).t(), x, beta, grad); });
  db.add_by([&](Tensor& grad, Real beta) { add_column_sums(g, beta, grad); });
}

Variable linear(const Variable& x, const Variable& weight, const Variable& bias) {
  require(x.rank() == 2 && weight.rank() == 2 && x.dim(1) == weight.dim(1), "linear: x ", x.shape(),
          " does not fit weight ", weight.shape(), " [out, in]");
  require(!bias.defined() || bias.shape() == Shape{weight.dim(0)}, "linear: bias ", bias.shape(),
          " does not match weight ", weight.shape());
  Tensor y({x.dim(0), weight.dim(0)});
  multiply_by_weight(x.value(), weight, bias, y, [](Matrix, Index, Index) {});
  return record(
      "linear", y, {x, weight, bias},
      [xv = x.value(), wv = weight.value(), dx = x.grad_buffer(), dw = weight.grad_buffer(),
       db = bias.grad_buffer()](const Tensor& g) { linear_backward(g, xv, wv, dx, dw, db); });
}

}  // namespace bf
