#include "budgetformer/sequence_pool.h"

#include "autograd/concat.h"
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
  if (pool_ == Pool::max) return norm_->forward(largest);
  return norm_->forward(concat_cols({segment_mean(x, segments), largest}));
}

}  // namespace bf
