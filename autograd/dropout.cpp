#include "autograd/dropout.h"

#include <algorithm>

#include "autograd/add.h"
#include "autograd/elementwise.h"
#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {
namespace {

void check(double p) {
  require(p >= 0 && p < 1, "dropout: probability must be in [0, 1), got ", p);
}

Tensor dropped(const Tensor& x, double p, RandomStream stream) {
  const DropoutRule rule(p);
  Tensor y(x.shape());
  over_values(x.size(), [&](Index n, Index first) {
    dropout_row(n, x.data() + first, stream, first, rule, y.data() + first);
  });
  return y;
}

/// x + dropped(branch), in pieces that stay in the first cache.
Tensor added(const Tensor& x, const Tensor& branch, double p, RandomStream stream) {
  constexpr Index piece = 2048;
  const DropoutRule rule(p);
  Tensor y(x.shape());
  over_values(x.size(), Arrays{3}, [&](Index n, Index first) {
    for (const Index last = first + n; first < last; first += piece) {
      const Index count = std::min(piece, last - first);
      Real* to = y.data() + first;
      dropout_row(count, branch.data() + first, stream, first, rule, to);
      add_row(count, x.data() + first, to, to);
    }
  });
  return y;
}

}  // namespace

Variable dropout(const Variable& x, double p, RandomStream stream) {
  check(p);
  if (p == 0) return x;
  return record(
      "dropout", dropped(x.value(), p, stream), {x},
      [p, stream, dx = x.grad_buffer()](const Tensor& g) { dx.add(dropped(g, p, stream)); });
}

Variable residual_dropout(const Variable& x, const Variable& branch, double p,
                          RandomStream stream) {
  check(p);
  require(x.shape() == branch.shape(), "residual_dropout: x ", x.shape(), " and branch ",
          branch.shape(), " differ");
  if (p == 0) return add(x, branch);
  return record("residual_dropout", added(x.value(), branch.value(), p, stream), {x, branch},
                [p, stream, dx = x.grad_buffer(), db = branch.grad_buffer()](const Tensor& g) {
                  dx.add(g);
                  if (db.wanted()) db.add(dropped(g, p, stream));
                });
}

}  // namespace bf
