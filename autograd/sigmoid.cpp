#include "autograd/sigmoid.h"

#include <cmath>

#include "autograd/elementwise.h"

namespace bf {

Variable sigmoid(const Variable& x) {
  const Tensor& xv = x.value();
  Tensor y(x.shape());
  over_values(y.size(), [&](Index n, Index first) {
    for (Index i = first; i < first + n; ++i) {
      const Real small = std::exp(-std::abs(xv[i]));  // never overflows
      y[i] = (xv[i] >= 0 ? 1 : small) / (1 + small);
    }
  });
  return record("sigmoid", y, {x}, [y, dx = x.grad_buffer()](const Tensor& g) {
    Tensor d(g.shape());
    over_values(g.size(), Arrays{3}, [&](Index n, Index first) {
      for (Index i = first; i < first + n; ++i) d[i] = g[i] * y[i] * (1 - y[i]);
    });
    dx.add(d);
  });
}

}  // namespace bf
