#include "autograd/segment_max.h"

#include <vector>

#include "autograd/elementwise.h"
#include "tensor/require.h"

namespace bf {

Variable segment_max(const Variable& x, const Segments& segments) {
  require(x.rank() == 2 && x.dim(0) == segments.tokens(), "segment_max: x ", x.shape(),
          " does not have the ", segments.tokens(), " tokens of the segments");
  const Index d = x.dim(1);
  Tensor y({segments.count(), d});
  std::vector<Index> where(y.size());  // token that attains y_bj
  over_rows(segments.count(), d, [&](Index b) {
    for (Index j = 0; j < d; ++j) {
      Index best = segments.begin(b);
      for (Index t = best + 1; t < segments.end(b); ++t) {
        if (x.value().row(t)[j] > x.value().row(best)[j]) best = t;
      }
      where[b * d + j] = best;
      y.row(b)[j] = x.value().row(best)[j];
    }
  });
  return record("segment_max", y, {x},
                [where = std::move(where), shape = x.shape(), dx = x.grad_buffer()](const Tensor& g) {
                  const Index width = g.dim(1);
                  Tensor grad = Tensor::zeros(shape);
                  for (Index i = 0; i < g.size(); ++i) grad.row(where[i])[i % width] = g[i];
                  dx.add(grad);
                });
}

}  // namespace bf
