#include "autograd/segment_mean.h"

#include <algorithm>

#include "autograd/elementwise.h"
#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {

Variable segment_mean(const Variable& x, const Segments& segments) {
  require(x.rank() == 2 && x.dim(0) == segments.tokens(), "segment_mean: x ", x.shape(),
          " does not have the ", segments.tokens(), " tokens of the segments");
  const Index d = x.dim(1);
  Tensor y({segments.count(), d});
  over_sequences(segments, d, Arrays{1}, [&](Index b) {
    Real* mean = y.row(b);
    std::fill_n(mean, d, Real(0));
    for (Index t = segments.begin(b); t < segments.end(b); ++t) {
      add_row(d, x.value().row(t), mean, mean);
    }
    scale_row(d, 1 / static_cast<Real>(segments.length(b)), mean, mean);
  });
  return record("segment_mean", y, {x}, [segments, dx = x.grad_buffer()](const Tensor& g) {
    const Index width = g.dim(1);
    Tensor grad({segments.tokens(), width});
    over_sequences(segments, width, Arrays{1}, [&](Index b) {
      const Real share = 1 / static_cast<Real>(segments.length(b));
      for (Index t = segments.begin(b); t < segments.end(b); ++t) {
        scale_row(width, share, g.row(b), grad.row(t));
      }
    });
    dx.add(grad);
  });
}

}  // namespace bf
