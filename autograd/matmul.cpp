#include "autograd/matmul.h"

#include "tensor/gemm.h"
#include "tensor/require.h"

namespace bf {

Variable matmul(const Variable& a, const Variable& b) {
  require(a.rank() == 2 && b.rank() == 2, "matmul: expected two matrices, got lhs ", a.shape(),
          " x rhs ", b.shape());
  require(a.dim(1) == b.dim(0), "matmul: inner dimensions differ: lhs ", a.shape(), " x rhs ",
          b.shape());
  Tensor y({a.dim(0), b.dim(1)});
  gemm(1, a.value(), b.value(), 0, y);
  return record(
      "matmul", y, {a, b},
      [av = a.value(), bv = b.value(), da = a.grad_buffer(),
       db = b.grad_buffer()](const Tensor& g) {
        if (da.wanted()) {
          da.add_by([&](Tensor& grad, Real beta) { gemm(1, g, ConstMatrix(bv).t(), beta, grad); });
        }
        if (db.wanted()) {
          db.add_by([&](Tensor& grad, Real beta) { gemm(1, ConstMatrix(av).t(), g, beta, grad); });
        }
      });
}

}  // namespace bf
