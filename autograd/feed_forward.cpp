#include "autograd/feed_forward.h"

#include "autograd/linear.h"
#include "tensor/gemm.h"
#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {
namespace {

void check(const Variable& x, const Variable& w1, const Variable& b1, const Variable& w2,
           const Variable& b2) {
  require(x.rank() == 2 && w1.rank() == 2 && x.dim(1) == w1.dim(1), "feed_forward: x ", x.shape(),
          " does not fit w1 ", w1.shape(), " [F, D]");
  require(w2.rank() == 2 && w2.dim(1) == w1.dim(0), "feed_forward: w1 ", w1.shape(),
          " does not fit w2 ", w2.shape(), " [D, F]");
  require(b1.shape() == Shape{w1.dim(0)} && b2.shape() == Shape{w2.dim(0)}, "feed_forward: biases ",
          b1.shape(), " and ", b2.shape(), " do not match w1 ", w1.shape(), " and w2 ", w2.shape());
}

/// dL/du = (g W2) gelu'(u).
Tensor hidden_gradient(const Tensor& g, const Tensor& w2, const Tensor& u) {
  Tensor du(u.shape());
  gemm(1, g, w2, 0, du, [&](Matrix tile, Index row, Index col) {
    for (Index r = 0; r < tile.rows; ++r) {
      Real* values = tile.data + r * tile.stride;
      gelu_backward_row(tile.cols, u.row(row + r) + col, values, values);
    }
  });
  return du;
}

}  // namespace

Variable feed_forward(const Variable& x, const Variable& w1, const Variable& b1, const Variable& w2,
                      const Variable& b2) {
  check(x, w1, b1, w2, b2);
  Tensor u({x.dim(0), w1.dim(0)});
  Tensor h = recording() ? Tensor(u.shape()) : u;
  multiply_by_weight(x.value(), w1, b1, u, [&](Matrix tile, Index row, Index col) {
    for (Index r = 0; r < tile.rows; ++r) {
      gelu_row(tile.cols, tile.data + r * tile.stride, h.row(row + r) + col);
    }
  });
  Tensor y({x.dim(0), w2.dim(0)});
  multiply_by_weight(h, w2, b2, y, [](Matrix, Index, Index) {});
  return record("feed_forward", y, {x, w1, b1, w2, b2},
                [xv = x.value(), w1v = w1.value(), w2v = w2.value(), u, h, dx = x.grad_buffer(),
                 dw1 = w1.grad_buffer(), db1 = b1.grad_buffer(), dw2 = w2.grad_buffer(),
                 db2 = b2.grad_buffer()](const Tensor& g) {
                  linear_backward(g, h, w2v, {}, dw2, db2);
                  linear_backward(hidden_gradient(g, w2v, u), xv, w1v, dx, dw1, db1);
                });
}

}  // namespace bf
