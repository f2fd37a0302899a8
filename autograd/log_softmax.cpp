#include "autograd/log_softmax.h"

#include <cmath>

#include "autograd/elementwise.h"
#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {

Tensor log_softmax_rows(const Tensor& x, Real temperature) {
  const Index cols = x.dim(1);
  Tensor y(x.shape());
  over_rows(x.dim(0), cols, [&](Index r) {
    const Real* from = x.row(r);
    Real* row = y.row(r);
    const Real shift = max_row(cols, from);
    Real sum = 0;
    for (Index j = 0; j < cols; ++j) {
      row[j] = (from[j] - shift) / temperature;
      sum += std::exp(row[j]);
    }
    // Two steps: shift + log(sum) in one number would lose log(sum) beside a large shift.
    const Real log_sum = std::log(sum);
    for (Index j = 0; j < cols; ++j) row[j] -= log_sum;
  });
  return y;
}

Variable log_softmax(const Variable& x) {
  require(x.rank() == 2 && x.dim(1) > 0, "log_softmax: expected [rows, cols], got ", x.shape());
  const Tensor y = log_softmax_rows(x.value());
  return record("log_softmax", y, {x}, [y, dx = x.grad_buffer()](const Tensor& g) {
    const Index cols = y.dim(1);
    Tensor d(g.shape());
    over_rows(y.dim(0), cols, Arrays{3}, [&](Index r) {
      const Real total = sum_row(cols, g.row(r));
      for (Index j = 0; j < cols; ++j) d.row(r)[j] = g.row(r)[j] - std::exp(y.row(r)[j]) * total;
    });
    dx.add(d);
  });
}

}  // namespace bf
