#include "autograd/slice.h"

#include <algorithm>

#include "autograd/elementwise.h"
#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// Adds g [rows, count] to the block of dx that starts at (row, col).
void add_block(const GradBuffer& dx, const Tensor& g, Index row, Index col) {
  dx.add_by([&](Tensor& grad, Real beta) {
    if (beta == 0) grad.fill(0);
    over_rows(g.dim(0), g.dim(1), Arrays{3}, [&](Index r) {
      Real* to = grad.row(row + r) + col;
      add_row(g.dim(1), g.row(r), to, to);
    });
  });
}

}  // namespace

Variable slice_rows(const Variable& x, Index first, Index count) {
  require(x.rank() == 2 && first <= x.dim(0) && count <= x.dim(0) - first, "slice_rows: rows ",
          first, " to ", first + count, " are outside ", x.shape());
  return record("slice_rows", x.value().rows(first, count), {x},
                [first, dx = x.grad_buffer()](const Tensor& g) { add_block(dx, g, first, 0); });
}

Variable slice_cols(const Variable& x, Index first, Index count) {
  require(x.rank() == 2 && first <= x.dim(1) && count <= x.dim(1) - first, "slice_cols: columns ",
          first, " to ", first + count, " are outside ", x.shape());
  Tensor y({x.dim(0), count});
  over_rows(x.dim(0), count,
            [&](Index r) { std::copy_n(x.value().row(r) + first, count, y.row(r)); });
  return record("slice_cols", y, {x},
                [first, dx = x.grad_buffer()](const Tensor& g) { add_block(dx, g, 0, first); });
}

}  // namespace bf
