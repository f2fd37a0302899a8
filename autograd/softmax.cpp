#include "autograd/softmax.h"

#include "autograd/elementwise.h"
#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {

Variable softmax(const Variable& x, Real temperature) {
  require(x.rank() == 2 && x.dim(1) > 0, "softmax: expected [rows, cols], got ", x.shape());
  require(temperature > 0, "softmax: temperature must be positive, got ", temperature);
  const Index cols = x.dim(1);
  Tensor y(x.shape());
  over_rows(x.dim(0), cols, [&](Index r) {
    const Real* from = x.value().row(r);
    Real* row = y.row(r);
    const Real shift = max_row(cols, from);
    // The difference first: close scores far from 0 would lose theirs in x / t.
    for (Index j = 0; j < cols; ++j) row[j] = (from[j] - shift) / temperature;
    const Real sum = exp_row(cols, row, 0, row);
    scale_row(cols, 1 / sum, row, row);
  });
  return record("softmax", y, {x}, [y, temperature, dx = x.grad_buffer()](const Tensor& g) {
    const Index width = y.dim(1);
    Tensor d(g.shape());
    over_rows(y.dim(0), width, Arrays{3}, [&](Index r) {
      const Real *yr = y.row(r), *gr = g.row(r);
      const Real inner = dot_row(width, yr, gr);
      for (Index j = 0; j < width; ++j) d.row(r)[j] = yr[j] * (gr[j] - inner) / temperature;
    });
    dx.add(d);
  });
}

}  // namespace bf
