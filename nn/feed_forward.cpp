#include "nn/feed_forward.h"

#include "autograd/feed_forward.h"

namespace bf {

FeedForward::FeedForward(Index dim, Index hidden, RandomSource& random)
    : up_(add_module<Linear>("up", dim, hidden, random)),
      down_(add_module<Linear>("down", hidden, dim, random)) {}

Variable FeedForward::forward(const Variable& x) const {
  return feed_forward(x, up_.weight(), up_.bias(), down_.weight(), down_.bias());
}

}  // namespace bf
