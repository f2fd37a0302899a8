// Compiled once per instruction set, as kernels.cpp is.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/tile_product.cpp"
#include <hwy/foreach_target.h>
// Highway has to come after foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>

#include "tensor/tile_product.h"

HWY_BEFORE_NAMESPACE();
namespace bf {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Vector = hn::ScalableTag<Real>;
using Lanes = hn::Vec<Vector>;
constexpr Vector tag;

/// What every block of one product shares: A(i, l) = a[i * a_row + l * a_inner].
struct Product {
  Index inner, a_row, a_inner, b_stride, c_stride;
  Real alpha;
  bool add;
};

/// A block of C, `Rows` by `Columns` vectors: each step of the inner loop loads a piece of a row of
/// B once for all rows, and the sums stay in registers: six by two fill the sixteen of AVX2.
template <Index Rows, Index Columns>
HWY_INLINE void block(const Product& p, const Real* a, const Real* b, Real* c) {
  const Index lanes = hn::Lanes(tag);
  Lanes sum[Rows][Columns];
  for (auto& row : sum) {
    for (auto& value : row) value = hn::Zero(tag);
  }
  for (Index l = 0; l < p.inner; ++l) {
    Lanes from_b[Columns];
    for (Index j = 0; j < Columns; ++j) from_b[j] = hn::LoadU(tag, b + j * lanes);
    for (Index i = 0; i < Rows; ++i) {
      const Lanes factor = hn::Set(tag, a[i * p.a_row]);
      for (Index j = 0; j < Columns; ++j) sum[i][j] = hn::MulAdd(factor, from_b[j], sum[i][j]);
    }
    a += p.a_inner;
    b += p.b_stride;
  }
  const Lanes alpha = hn::Set(tag, p.alpha);
  for (Index i = 0; i < Rows; ++i) {
    for (Index j = 0; j < Columns; ++j) {
      Real* to = c + i * p.c_stride + j * lanes;
      const Lanes before = p.add ? hn::LoadU(tag, to) : hn::Zero(tag);
      hn::StoreU(hn::MulAdd(alpha, sum[i][j], before), tag, to);
    }
  }
}

/// All rows of C in `Columns` vectors of its columns.
template <Index Columns>
HWY_INLINE void block_column(const Product& p, Index rows, const Real* a, const Real* b, Real* c) {
  Index i = 0;
  for (; i + 6 <= rows; i += 6) block<6, Columns>(p, a + i * p.a_row, b, c + i * p.c_stride);
  a += i * p.a_row;
  c += i * p.c_stride;
  switch (rows - i) {
    case 5:
      block<5, Columns>(p, a, b, c);
      break;
    case 4:
      block<4, Columns>(p, a, b, c);
      break;
    case 3:
      block<3, Columns>(p, a, b, c);
      break;
    case 2:
      block<2, Columns>(p, a, b, c);
      break;
    case 1:
      block<1, Columns>(p, a, b, c);
      break;
    default:
      break;
  }
}

void TileProduct(Real alpha, const ConstMatrix& a, const ConstMatrix& b, bool add,
                 const Matrix& c) {
  const Product p{
      a.cols, a.transposed ? 1 : a.stride, a.transposed ? a.stride : 1, b.stride, c.stride, alpha,
      add};
  const Index lanes = hn::Lanes(tag);
  Index j = 0;
  for (; j + 2 * lanes <= c.cols; j += 2 * lanes) {
    block_column<2>(p, c.rows, a.data, b.data + j, c.data + j);
  }
  if (j < c.cols) block_column<1>(p, c.rows, a.data, b.data + j, c.data + j);
}

Index TileLanes() { return hn::Lanes(tag); }

}  // namespace HWY_NAMESPACE
}  // namespace bf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bf {

HWY_EXPORT(TileProduct);
HWY_EXPORT(TileLanes);

Index tile_lanes() { return HWY_DYNAMIC_DISPATCH(TileLanes)(); }

void tile_product(Real alpha, const ConstMatrix& a, const ConstMatrix& b, bool add, Matrix c) {
  HWY_DYNAMIC_DISPATCH(TileProduct)(alpha, a, b, add, c);
}

void transpose_tile(const ConstMatrix& from, Real* to, Index to_stride) {
  Index i = 0;
  for (; i + 4 <= from.rows; i += 4) {  // four rows at a time make a write of four neighbours
    const Real* row = from.data + i * from.stride;
    const Index stride = from.stride;
    for (Index j = 0; j < from.cols; ++j) {
      Real* column = to + j * to_stride + i;
      column[0] = row[j];
      column[1] = row[j + stride];
      column[2] = row[j + 2 * stride];
      column[3] = row[j + 3 * stride];
    }
  }
  for (; i < to_stride; ++i) {
    for (Index j = 0; j < from.cols; ++j) {
      to[j * to_stride + i] = i < from.rows ? from.data[i * from.stride + j] : Real(0);
    }
  }
}

}  // namespace bf
#endif  // HWY_ONCE
