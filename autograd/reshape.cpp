#include "autograd/reshape.h"

namespace bf {

Variable reshape(const Variable& x, const Shape& shape) {
  return record(
      "reshape", x.value().reshape(shape), {x},
      [before = x.shape(), dx = x.grad_buffer()](const Tensor& g) { dx.add(g.reshape(before)); });
}

}  // namespace bf
