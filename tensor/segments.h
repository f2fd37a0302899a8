#pragma once

#include <memory>
#include <vector>

#include "tensor/real.h"

namespace bf {

/// Where each sequence of a packed batch begins. A batch of B sequences is one [tokens, D] matrix
/// and these B + 1 offsets; there is no padding and no mask. Every sequence has at least one token.
class Segments {
 public:
  Segments() : Segments(std::vector<Index>{}) {}
  /// Throws std::invalid_argument, naming the sequence, when a length is 0: a mean or a softmax
  /// over nothing has no value.
  explicit Segments(const std::vector<Index>& lengths);

  Index count() const { return offsets_->size() - 1; }
  Index tokens() const { return offsets_->back(); }
  Index longest() const { return longest_; }
  Index begin(Index sequence) const { return (*offsets_)[sequence]; }
  Index end(Index sequence) const { return (*offsets_)[sequence + 1]; }
  Index length(Index sequence) const { return end(sequence) - begin(sequence); }

 private:
  std::shared_ptr<const std::vector<Index>> offsets_;
  Index longest_ = 0;
};

}  // namespace bf
