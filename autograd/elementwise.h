#pragma once

#include "tensor/parallel.h"
#include "tensor/profile.h"
#include "tensor/segments.h"
#include "tensor/tensor.h"

namespace bf {

/// How many arrays of the size it works on an operation reads or writes: the bytes of the profile.
/// Most read one and write another.
struct Arrays {
  Index count = 2;
  Index bytes(Index size) const { return count * size * sizeof(Real); }
};

/// Calls kernel(n, first) on blocks of the `size` values of an operation that treats each value
/// alike, on all threads.
inline void over_values(Index size, Arrays arrays, FunctionRef<void(Index n, Index first)> kernel) {
  constexpr Index block = 16384;
  const ProfileScope scope(WorkKind::elementwise, arrays.bytes(size));
  parallel_for(size, block, [&](Index first, Index last) { kernel(last - first, first); });
}
inline void over_values(Index size, FunctionRef<void(Index n, Index first)> kernel) {
  over_values(size, {}, kernel);
}

/// Calls body(row) for every row of a matrix with `cols` columns, on all threads.
inline void over_rows(Index rows, Index cols, Arrays arrays, FunctionRef<void(Index row)> body) {
  const ProfileScope scope(WorkKind::elementwise, arrays.bytes(rows * cols));
  parallel_for(rows, rows_per_block(cols), [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) body(row);
  });
}
inline void over_rows(Index rows, Index cols, FunctionRef<void(Index row)> body) {
  over_rows(rows, cols, {}, body);
}

/// Calls body(sequence) for every sequence of a packed [tokens, cols] matrix, on all threads.
inline void over_sequences(const Segments& segments, Index cols, Arrays arrays,
                           FunctionRef<void(Index b)> body) {
  if (segments.count() > 0)
    over_rows(segments.count(), segments.tokens() / segments.count() * cols, arrays, body);
}
inline void over_sequences(const Segments& segments, Index cols, FunctionRef<void(Index b)> body) {
  over_sequences(segments, cols, {}, body);
}

}  // namespace bf
