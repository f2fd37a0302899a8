// Compiled once per instruction set, as kernels.cpp is.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/tile_product.cpp"
#include <hwy/foreach_target.h>
// Highway has to come after foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>

#include "tensor/micro_kernel-inl.h"
#include "tensor/tile_product.h"

HWY_BEFORE_NAMESPACE();
namespace bf {
namespace HWY_NAMESPACE {

/// All rows of C in `Columns` vectors of its columns.
template <Index Columns>
HWY_INLINE void block_column(const Product& p, Index rows, const Real* a, const Real* b, Real* c) {
  Index i = 0;
  for (; i + block_rows <= rows; i += block_rows) {
    block<block_rows, Columns>(p, a + i * p.a_row, b, c + i * p.c_stride);
  }
  block_of<block_rows - 1, Columns>(rows - i, p, a + i * p.a_row, b, c + i * p.c_stride);
}

void TileProduct(Real alpha, const ConstMatrix& a, const ConstMatrix& b, bool add,
                 const Matrix& c) {
  const Product p{a.cols, a.row_step(), a.col_step(), b.stride, c.stride, alpha, add};
  const Index lanes = hn::Lanes(tag);
  Index j = 0;
  for (; j + 2 * lanes <= c.cols; j += 2 * lanes) {
    block_column<2>(p, c.rows, a.data, b.data + j, c.data + j);
  }
  if (j < c.cols) block_column<1>(p, c.rows, a.data, b.data + j, c.data + j);
}

Index TileLanes() { return hn::Lanes(tag); }

void TransposeTile(const ConstMatrix& from, Real* to, Index to_stride) {
  transpose(from, to, to_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace bf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bf {

HWY_EXPORT(TileProduct);
HWY_EXPORT(TileLanes);
HWY_EXPORT(TransposeTile);

Index tile_lanes() { return HWY_DYNAMIC_DISPATCH(TileLanes)(); }

void tile_product(Real alpha, const ConstMatrix& a, const ConstMatrix& b, bool add, Matrix c) {
  HWY_DYNAMIC_DISPATCH(TileProduct)(alpha, a, b, add, c);
}

void transpose_tile(const ConstMatrix& from, Real* to, Index to_stride) {
  HWY_DYNAMIC_DISPATCH(TransposeTile)(from, to, to_stride);
}

}  // namespace bf
#endif  // HWY_ONCE
