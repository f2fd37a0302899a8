#include "tensor/segments.h"

#include <algorithm>

#include "tensor/require.h"

namespace bf {

Segments::Segments(const std::vector<Index>& lengths) {
  std::vector<Index> offsets{0};
  offsets.reserve(lengths.size() + 1);
  for (Index b = 0; b < lengths.size(); ++b) {
    require(lengths[b] > 0, "segments: sequence ", b, " of ", lengths.size(), " has length 0");
    offsets.push_back(offsets.back() + lengths[b]);
    longest_ = std::max(longest_, lengths[b]);
  }
  offsets_ = std::make_shared<const std::vector<Index>>(std::move(offsets));
}

}  // namespace bf
