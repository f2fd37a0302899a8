#include "autograd/scale.h"

#include "autograd/elementwise.h"
#include "tensor/kernels.h"

namespace bf {

Variable scale(const Variable& x, Real factor, Real offset) {
  Tensor y(x.shape());
  over_values(y.size(), [&](Index n, Index first) {
    for (Index i = first; i < first + n; ++i) y[i] = factor * x.value()[i] + offset;
  });
  return record("scale", y, {x}, [factor, dx = x.grad_buffer()](const Tensor& g) {
    Tensor d(g.shape());
    over_values(g.size(), [&](Index n, Index first) {
      scale_row(n, factor, g.data() + first, d.data() + first);
    });
    dx.add(d);
  });
}

}  // namespace bf
