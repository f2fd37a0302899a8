#include "autograd/layer_norm.h"

#include "autograd/elementwise.h"
#include "tensor/kernels.h"
#include "tensor/reduce.h"
#include "tensor/require.h"

namespace bf {
namespace {

struct RowStatistics {
  Tensor mean, rstd;  // [rows]
};

/// Returns dx; the sums for gamma and beta are gathered in fixed blocks of rows.
Tensor backward_rows(const Tensor& x, const Tensor& gamma, const RowStatistics& rows,
                     const Tensor& g, const GradBuffer& dgamma, const GradBuffer& dbeta) {
  constexpr Index block = 64;
  const Index d = x.dim(1), blocks = block_count(x.dim(0), block);
  Tensor dx(x.shape());
  const ProfileScope scope(WorkKind::normalisation, 3 * x.size() * sizeof(Real));
  Tensor partial_gamma = Tensor::zeros({blocks, d}), partial_beta = Tensor::zeros({blocks, d});
  parallel_for(x.dim(0), block, [&](Index first, Index last) {
    for (Index r = first; r < last; ++r) {
      layer_norm_backward_row(d, x.row(r), gamma.data(), rows.mean[r], rows.rstd[r], g.row(r),
                              dx.row(r), partial_gamma.row(first / block),
                              partial_beta.row(first / block));
    }
  });
  const auto add_partial = [](const GradBuffer& to, const Tensor& partial) {
    if (!to.wanted()) return;
    to.add_by([&](Tensor& grad, Real beta) { add_column_sums(partial, beta, grad); });
  };
  add_partial(dgamma, partial_gamma);
  add_partial(dbeta, partial_beta);
  return dx;
}

}  // namespace

Variable layer_norm(const Variable& x, const Variable& gamma, const Variable& beta, Real eps) {
  require(x.rank() == 2 && x.dim(1) > 0, "layer_norm: expected x [rows, D], got ", x.shape());
  require(gamma.shape() == Shape{x.dim(1)} && beta.shape() == gamma.shape(), "layer_norm: x ",
          x.shape(), " does not fit gamma ", gamma.shape(), " and beta ", beta.shape());
  const ProfileScope scope(WorkKind::normalisation);
  const Index d = x.dim(1);
  Tensor y(x.shape());
  RowStatistics rows{Tensor({x.dim(0)}), Tensor({x.dim(0)})};
  over_rows(x.dim(0), d, [&](Index r) {
    layer_norm_row(d, x.value().row(r), gamma.value().data(), beta.value().data(), eps, y.row(r),
                   rows.mean[r], rows.rstd[r]);
  });
  return record("layer_norm", y, {x, gamma, beta},
                [xv = x.value(), gamma_v = gamma.value(), rows, dx = x.grad_buffer(),
                 dgamma = gamma.grad_buffer(), dbeta = beta.grad_buffer()](const Tensor& g) {
                  const Tensor d_rows = backward_rows(xv, gamma_v, rows, g, dgamma, dbeta);
                  if (dx.wanted()) dx.add(d_rows);
                });
}

}  // namespace bf
