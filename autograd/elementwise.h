#pragma once

#include "tensor/parallel.h"
#include "tensor/segments.h"
#include "tensor/tensor.h"

namespace bf {

/// Calls kernel(n, first) on blocks of the `size` values of an operation that treats each value
/// alike, on all threads.
inline void over_values(Index size, FunctionRef<void(Index n, Index first)> kernel) {
  constexpr Index block = 16384;
  parallel_for(size, block, [&](Index first, Index last) { kernel(last - first, first); });
}

/// Calls body(row) for every row of a matrix with `cols` columns, on all threads.
inline void over_rows(Index rows, Index cols, FunctionRef<void(Index row)> body) {
  parallel_for(rows, rows_per_block(cols), [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) body(row);
  });
}

/// Calls body(sequence) for every sequence of a packed [tokens, cols] matrix, on all threads.
inline void over_sequences(const Segments& segments, Index cols, FunctionRef<void(Index b)> body) {
  if (segments.count() > 0)
    over_rows(segments.count(), segments.tokens() / segments.count() * cols, body);
}

}  // namespace bf
