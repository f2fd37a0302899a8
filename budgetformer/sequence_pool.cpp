#include "budgetformer/sequence_pool.h"

#include <cmath>

#include "autograd/concat.h"
#include "autograd/scale.h"
#include "autograd/segment_max.h"
#include "autograd/segment_mean.h"

namespace bf {

SequencePool::SequencePool(Index dim, Pool pool)
    : pool_(pool), width_(pool == Pool::meanmax ? 2 * dim : dim) {
  if (pool != Pool::mean) norm_ = &add_module<LayerNorm>("norm", width_);
}

Variable SequencePool::forward(const Variable& x, const Segments& segments) const {
  if (pool_ == Pool::mean) return segment_mean(x, segments);
  const Variable largest = segment_max(x, segments);
  const Variable pooled =
      pool_ == Pool::max ? largest : concat_cols({segment_mean(x, segments), largest});
  return scale(norm_->forward(pooled),
               static_cast<Real>(1 / std::sqrt(static_cast<double>(width_))));
}

}  // namespace bf
