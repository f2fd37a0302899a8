#include "autograd/add.h"

#include "autograd/elementwise.h"
#include "tensor/kernels.h"
#include "tensor/reduce.h"
#include "tensor/require.h"

namespace bf {

Variable add(const Variable& a, const Variable& b) {
  const bool same = a.shape() == b.shape();
  require(same || (a.rank() == 2 && b.shape() == Shape{a.dim(1)}),
          "add: shapes do not broadcast: lhs ", a.shape(), " and rhs ", b.shape());
  const Tensor &av = a.value(), &bv = b.value();
  Tensor y(a.shape());
  if (same) {
    over_values(y.size(), Arrays{3}, [&](Index n, Index first) {
      add_row(n, av.data() + first, bv.data() + first, y.data() + first);
    });
  } else {
    over_rows(y.dim(0), y.dim(1),
              [&](Index r) { add_row(y.dim(1), av.row(r), bv.data(), y.row(r)); });
  }
  return record("add", y, {a, b},
                [same, da = a.grad_buffer(), db = b.grad_buffer()](const Tensor& g) {
                  if (da.wanted()) da.add(g);
                  if (!db.wanted()) return;
                  if (same) return db.add(g);
                  db.add_by([&](Tensor& grad, Real beta) { add_column_sums(g, beta, grad); });
                });
}

}  // namespace bf
