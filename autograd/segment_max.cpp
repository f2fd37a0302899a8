#include "autograd/segment_max.h"

#include <algorithm>
#include <cmath>
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
  over_sequences(segments, d, Arrays{1}, [&](Index b) {
    Index* best = where.data() + b * d;
    Real* largest = y.row(b);
    std::fill_n(best, d, segments.begin(b));
    std::copy_n(x.value().row(segments.begin(b)), d, largest);
    for (Index t = segments.begin(b) + 1; t < segments.end(b); ++t) {
      const Real* row = x.value().row(t);
      for (Index j = 0; j < d; ++j) {
        // A NaN is larger than any number, so that it shows.
        const bool larger = row[j] > largest[j] || (std::isnan(row[j]) && !std::isnan(largest[j]));
        if (larger) largest[j] = row[j], best[j] = t;
      }
    }
  });
  return record(
      "segment_max", y, {x},
      [where = std::move(where), shape = x.shape(), dx = x.grad_buffer()](const Tensor& g) {
        const Index width = g.dim(1);
        Tensor grad = Tensor::zeros(shape);
        for (Index i = 0; i < g.size(); ++i) grad.row(where[i])[i % width] = g[i];
        dx.add(grad);
      });
}

}  // namespace bf
