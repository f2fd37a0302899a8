#pragma once

#include "tensor/random.h"

namespace bf {

/// The first `4 blocks` words of the stream from block `first_block` on (see philox in random.h).
void random_words(RandomStream stream, Index first_block, Index blocks, std::uint32_t* words);
/// out_i = x_i scale where word `first + i` of the stream is below `threshold`, else 0.
/// `first` is a multiple of 4.
void dropout_row(Index n, const Real* x, RandomStream stream, Index first, std::uint32_t threshold,
                 Real scale, Real* out);

}  // namespace bf
