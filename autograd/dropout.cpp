#include "autograd/dropout.h"

#include <algorithm>

#include "autograd/elementwise.h"
#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {
namespace {

Tensor dropped(const Tensor& x, double p, RandomStream stream) {
  const auto threshold = static_cast<std::uint32_t>(std::min((1 - p) * 4294967296.0, 4294967295.0));
  const Real factor = static_cast<Real>(1 / (1 - p));
  Tensor y(x.shape());
  over_values(x.size(), [&](Index n, Index first) {
    dropout_row(n, x.data() + first, stream, first, threshold, factor, y.data() + first);
  });
  return y;
}

}  // namespace

Variable dropout(const Variable& x, double p, RandomStream stream) {
  require(p >= 0 && p < 1, "dropout: probability must be in [0, 1), got ", p);
  if (p == 0) return x;
  return record(
      "dropout", dropped(x.value(), p, stream), {x},
      [p, stream, dx = x.grad_buffer()](const Tensor& g) { dx.add(dropped(g, p, stream)); });
}

}  // namespace bf
