#include "autograd/relu.h"

#include "autograd/elementwise.h"

namespace bf {

Variable relu(const Variable& x) {
  const Tensor& xv = x.value();
  Tensor y(x.shape());
  over_values(y.size(), [&](Index n, Index first) {
    for (Index i = first; i < first + n; ++i) y[i] = xv[i] <= 0 ? 0 : xv[i];
  });
  return record("relu", y, {x}, [xv, dx = x.grad_buffer()](const Tensor& g) {
    Tensor d(g.shape());
    over_values(g.size(), Arrays{3}, [&](Index n, Index first) {
      for (Index i = first; i < first + n; ++i) d[i] = xv[i] <= 0 ? 0 : g[i];
    });
    dx.add(d);
  });
}

}  // namespace bf
