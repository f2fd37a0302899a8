#include "autograd/multiply.h"

#include "autograd/elementwise.h"
#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {
namespace {

Tensor product(const Tensor& a, const Tensor& b) {
  Tensor y(a.shape());
  over_values(y.size(), Arrays{3}, [&](Index n, Index first) {
    multiply_row(n, a.data() + first, b.data() + first, y.data() + first);
  });
  return y;
}

}  // namespace

Variable multiply(const Variable& a, const Variable& b) {
  require(a.shape() == b.shape(), "multiply: shapes differ: lhs ", a.shape(), ", rhs ", b.shape());
  return record("multiply", product(a.value(), b.value()), {a, b},
                [av = a.value(), bv = b.value(), da = a.grad_buffer(),
                 db = b.grad_buffer()](const Tensor& g) {
                  if (da.wanted()) da.add(product(g, bv));
                  if (db.wanted()) db.add(product(g, av));
                });
}

}  // namespace bf
