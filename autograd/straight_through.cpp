#include "autograd/straight_through.h"

#include "tensor/require.h"

namespace bf {

Variable straight_through(const Tensor& hard, const Variable& soft) {
  require(hard.shape() == soft.shape(), "straight_through: hard ", hard.shape(), " and soft ",
          soft.shape(), " differ in shape");
  return record("straight_through", hard, {soft},
                [dsoft = soft.grad_buffer()](const Tensor& g) { dsoft.add(g); });
}

}  // namespace bf
