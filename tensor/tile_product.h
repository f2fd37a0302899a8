#pragma once

#include "tensor/matrix.h"

namespace bf {

/// Columns of C that tile_product works on at a time: the values in one vector of this processor.
Index tile_lanes();

/// C = alpha A B, plus C itself when `add`, on the calling thread: for products so small (a head of
/// a short sentence) that rearranging A and B would take longer than computing.
///   A [m, k], either way round   B [k, n], not transposed   C [m, n], n a multiple of tile_lanes()
/// An element's value depends on its row of A and column of B alone. Counts no operations: the
/// caller does so once for many calls.
void tile_product(Real alpha, const ConstMatrix& a, const ConstMatrix& b, bool add, Matrix c);

/// to[j * to_stride + i] = from(i, j), with zeros from column from.rows up to to_stride.
void transpose_tile(const ConstMatrix& from, Real* to, Index to_stride);

}  // namespace bf
