#include "tests/example/softplus.h"

#include <algorithm>
#include <cmath>

bf::Variable softplus(const bf::Variable& x) {
  bf::Tensor y(x.shape());
  for (bf::Index i = 0; i < y.size(); ++i) {
    const bf::Real v = x.value()[i];
    y[i] = std::max(v, bf::Real(0)) + std::log1p(std::exp(-std::abs(v)));  // exp never overflows
  }
  return bf::record("softplus", y, {x},
                    [xv = x.value(), dx = x.grad_buffer()](const bf::Tensor& g) {
                      bf::Tensor d(g.shape());
                      for (bf::Index i = 0; i < d.size(); ++i) d[i] = g[i] / (1 + std::exp(-xv[i]));
                      dx.add(d);
                    });
}
