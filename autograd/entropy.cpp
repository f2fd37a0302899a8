#include "autograd/entropy.h"

#include <cmath>

#include "autograd/elementwise.h"
#include "autograd/log_softmax.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// p (log p + offset), which tends to 0 as p does, also where log p is -infinity.
Real weighted(Real log_p, Real offset) {
  const Real p = std::exp(log_p);
  return p == 0 ? 0 : p * (log_p + offset);
}

}  // namespace

Variable entropy(const Variable& scores, Real temperature) {
  require(scores.rank() == 2 && scores.dim(1) > 0, "entropy: expected [rows, cols], got ",
          scores.shape());
  require(temperature > 0, "entropy: temperature must be positive, got ", temperature);
  const Tensor log_p = log_softmax_rows(scores.value(), temperature);
  Tensor y({scores.dim(0)});
  over_rows(y.size(), log_p.dim(1), [&](Index r) {
    Real sum = 0;
    for (Index j = 0; j < log_p.dim(1); ++j) sum -= weighted(log_p.row(r)[j], 0);
    y[r] = sum;
  });
  return record("entropy", y, {scores},
                [log_p, y, temperature, dx = scores.grad_buffer()](const Tensor& g) {
                  Tensor d(log_p.shape());
                  over_rows(y.size(), log_p.dim(1), [&](Index r) {
                    for (Index j = 0; j < log_p.dim(1); ++j) {
                      d.row(r)[j] = -g[r] * weighted(log_p.row(r)[j], y[r]) / temperature;
                    }
                  });
                  dx.add(d);
                });
}

}  // namespace bf
