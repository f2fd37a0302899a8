#include "autograd/sum.h"

#include "tensor/reduce.h"
#include "tensor/require.h"

namespace bf {
namespace {

Variable scaled_sum(const char* operation, const Variable& x, double factor) {
  const Tensor value = Tensor::scalar(static_cast<Real>(factor * sum_of(x.value())));
  return record(operation, value, {x},
                [shape = x.shape(), factor, dx = x.grad_buffer()](const Tensor& g) {
                  dx.add(Tensor::full(shape, static_cast<Real>(factor) * g.item()));
                });
}

}  // namespace

Variable sum(const Variable& x) { return scaled_sum("sum", x, 1); }

Variable mean(const Variable& x) {
  require(x.value().size() > 0, "mean: no values in ", x.shape());
  return scaled_sum("mean", x, 1 / static_cast<double>(x.value().size()));
}

}  // namespace bf
