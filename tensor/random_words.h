#pragma once

#include "tensor/random.h"

namespace bf {

/// The first `4 blocks` words of the stream from block `first_block` on (see philox in random.h).
void random_words(RandomStream stream, Index first_block, Index blocks, std::uint32_t* words);
/// Which values a dropout of probability p keeps: value i where the 16 bits numbered i of the
/// stream's words (the low half of a word first) are below `threshold`. The probability is rounded
/// to 1 / 65536, and the factor fits the rounded one, so that the mean stays.
struct DropoutRule {
  explicit DropoutRule(double p);
  std::uint32_t threshold;  ///< 1 to 65536
  Real factor;              ///< of a value that is kept: 65536 / threshold
};
/// out_i = factor x_i where value `first + i` is kept, else 0. `first` is a multiple of 8.
void dropout_row(Index n, const Real* x, RandomStream stream, Index first, DropoutRule rule,
                 Real* out);

}  // namespace bf
