#include "autograd/gelu.h"

#include "autograd/elementwise.h"
#include "tensor/kernels.h"

namespace bf {

Variable gelu(const Variable& x) {
  Tensor y(x.shape());
  over_values(y.size(), [&](Index n, Index first) {
    gelu_row(n, x.value().data() + first, y.data() + first);
  });
  return record("gelu", y, {x}, [xv = x.value(), dx = x.grad_buffer()](const Tensor& g) {
    Tensor d(g.shape());
    over_values(g.size(), Arrays{3}, [&](Index n, Index first) {
      gelu_backward_row(n, xv.data() + first, g.data() + first, d.data() + first);
    });
    dx.add(d);
  });
}

}  // namespace bf
