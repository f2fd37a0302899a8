// The innermost loops of every product and of a transposition, shared by panels.cpp and
// tile_product.cpp and compiled once per instruction set in each: hence no #pragma once but
// Highway's guard, which lets it in once per target.
#if defined(BF_TENSOR_MICRO_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BF_TENSOR_MICRO_KERNEL_INL_H_
#undef BF_TENSOR_MICRO_KERNEL_INL_H_
#else
#define BF_TENSOR_MICRO_KERNEL_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "tensor/matrix.h"

HWY_BEFORE_NAMESPACE();
namespace bf {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Arrays of vectors need a vector size that the compiler knows: meson.build leaves out the
// instruction sets where the hardware decides it (SVE, RISC-V).
using Vector = hn::ScalableTag<Real>;
using Lanes = hn::Vec<Vector>;
constexpr Vector tag;

/// A block of C holds this many rows of two vectors each, such that its sums, two vectors of B and
/// one value of A fill the registers: 12 + 2 + 1 of 16, or 24 + 2 + 1 of 32.
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3) || HWY_ARCH_ARM_A64
constexpr Index block_rows = 12;
#else
constexpr Index block_rows = 6;
#endif

/// What every block of one product shares: A(i, l) = a[i * a_row + l * a_inner].
struct Product {
  Index inner, a_row, a_inner, b_stride, c_stride;
  Real alpha;
  bool add;
  const Real* bias = nullptr;  ///< added to each row, from the column of the block on
};

/// A block of C, `Rows` by `Columns` vectors: each step of the inner loop loads a piece of a row of
/// B once for all rows, and the sums stay in registers.
template <Index Rows, Index Columns>
HWY_INLINE void block(const Product& p, const Real* HWY_RESTRICT a, const Real* HWY_RESTRICT b,
                      Real* HWY_RESTRICT c) {
  const Index lanes = hn::Lanes(tag);
  Lanes sum[Rows][Columns];
  for (auto& row : sum) {
    for (auto& value : row) value = hn::Zero(tag);
  }
  // The block of C is fetched while the sums are computed.
  for (Index i = 0; i < Rows; ++i) hwy::Prefetch(c + i * p.c_stride);
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
      const Lanes before = p.add               ? hn::LoadU(tag, to)
                           : p.bias != nullptr ? hn::LoadU(tag, p.bias + j * lanes)
                                               : hn::Zero(tag);
      hn::StoreU(hn::MulAdd(alpha, sum[i][j], before), tag, to);
    }
  }
}

/// block() of `rows` <= Rows rows.
template <Index Rows, Index Columns>
HWY_INLINE void block_of(Index rows, const Product& p, const Real* a, const Real* b, Real* c) {
  if constexpr (Rows > 0) {
    if (rows == Rows) return block<Rows, Columns>(p, a, b, c);
    block_of<Rows - 1, Columns>(rows, p, a, b, c);
  }
}

/// to[j * to_stride + i] = from(i, j), with zeros from column from.rows up to to_stride.
HWY_INLINE void transpose(const ConstMatrix& from, Real* HWY_RESTRICT to, Index to_stride) {
  Index i = 0;
  for (; i + 4 <= from.rows; i += 4) {  // four rows at a time make a write of four neighbours
    const Real* HWY_RESTRICT row = from.data + i * from.stride;
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

}  // namespace HWY_NAMESPACE
}  // namespace bf
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
