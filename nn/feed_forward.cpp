#include "nn/feed_forward.h"

#include "autograd/gelu.h"

namespace bf {

FeedForward::FeedForward(Index dim, Index hidden, RandomSource& random)
    : up_(add_module<Linear>("up", dim, hidden, random)),
      down_(add_module<Linear>("down", hidden, dim, random)) {}

Variable FeedForward::forward(const Variable& x) const {
  return down_.forward(gelu(up_.forward(x)));
}

}  // namespace bf
