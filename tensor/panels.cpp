// Compiled once per instruction set, as kernels.cpp is.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/panels.cpp"
#include <hwy/foreach_target.h>
// Highway has to come after foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>

#include "tensor/micro_kernel-inl.h"
#include "tensor/panels.h"

HWY_BEFORE_NAMESPACE();
namespace bf {
namespace HWY_NAMESPACE {

PanelShape GetPanelShape() { return {block_rows, 2 * hn::Lanes(tag)}; }

/// to[0, n) = from[0, n) in whole vectors: up to a vector more is read and written.
template <Index Vectors>
HWY_INLINE void copy_vectors(const Real* from, Real* to) {
  for (Index v = 0; v < Vectors; ++v) {
    hn::StoreU(hn::LoadU(tag, from + v * hn::Lanes(tag)), tag, to + v * hn::Lanes(tag));
  }
}

void PackColumns(const ConstMatrix& b, Real* HWY_RESTRICT to) {
  const Index width = 2 * hn::Lanes(tag);
  for (Index j = 0; j < b.cols; j += width, to += b.rows * width) {
    const ConstMatrix panel = b.col_block(j, std::min(width, b.cols - j));
    if (b.transposed) {
      transpose({panel.data, panel.cols, panel.rows, panel.stride}, to, width);
    } else if (panel.cols == width) {
      for (Index l = 0; l < b.rows; ++l) copy_vectors<2>(panel.data + l * b.stride, to + l * width);
    } else {
      for (Index l = 0; l < b.rows; ++l) {
        Real* end = std::copy_n(panel.data + l * b.stride, panel.cols, to + l * width);
        std::fill(end, to + (l + 1) * width, Real(0));
      }
    }
  }
}

/// Panels of a transposed A, as many as can be read in whole vectors; returns how many. A row of
/// memory holds a piece of each panel: all are written as it is read, since it may be a long way to
/// the next one. A write ends in the place of the next, which mends it.
Index pack_transposed_rows(const ConstMatrix& a, Real* HWY_RESTRICT to) {
  constexpr Index vectors = (block_rows + hn::MaxLanes(tag) - 1) / hn::MaxLanes(tag);
  const Index covered = vectors * hn::Lanes(tag);
  if (covered < block_rows || a.rows < covered) return 0;
  const Index panels = (a.rows - covered) / block_rows + 1, panel = a.cols * block_rows;
  for (Index l = 0; l < a.cols; ++l) {
    const Real* HWY_RESTRICT from = a.data + l * a.stride;
    Real* HWY_RESTRICT row = to + l * block_rows;
    for (Index p = 0; p < panels; ++p) {
      if (l + 1 < a.cols) {
        copy_vectors<vectors>(from + p * block_rows, row + p * panel);
      } else {
        std::copy_n(from + p * block_rows, block_rows, row + p * panel);
      }
    }
  }
  return panels;
}

void PackRows(const ConstMatrix& a, Real* HWY_RESTRICT to) {
  const Index done = a.transposed ? pack_transposed_rows(a, to) : 0;
  for (Index i = done * block_rows; i < a.rows; i += block_rows) {
    const ConstMatrix panel = a.row_block(i, std::min(block_rows, a.rows - i));
    Real* HWY_RESTRICT begin = to + i * a.cols;
    for (Index l = 0; l < a.cols; ++l) {
      for (Index r = 0; r < panel.rows; ++r) {
        begin[l * block_rows + r] = panel.data[l * panel.col_step() + r * panel.row_step()];
      }
    }
  }
}

/// All rows of C in `Columns` vectors of its columns.
template <Index Columns>
HWY_INLINE void multiply_panel(const Product& p, const RowPanels& a, const Real* b, Index rows,
                               Real* c) {
  const Index whole = rows / block_rows;
  for (Index i = 0; i < whole; ++i) {
    block<block_rows, Columns>(p, a.data + i * a.panel_step, b, c + i * block_rows * p.c_stride);
  }
  block_of<block_rows - 1, Columns>(rows - whole * block_rows, p, a.data + whole * a.panel_step, b,
                                    c + whole * block_rows * p.c_stride);
}

/// The last columns of C, fewer than the two vectors of a panel: by way of a buffer.
void multiply_part(Product p, const RowPanels& a, const Real* b, const Matrix& c) {
  constexpr Index width = 2 * hn::MaxLanes(tag);
  Real buffer[block_rows * width] = {}, bias[width] = {};
  if (p.bias != nullptr) {
    std::copy_n(p.bias, c.cols, bias);
    p.bias = bias;
  }
  const Index c_stride = p.c_stride;
  p.c_stride = width;
  for (Index i = 0; i < c.rows; i += block_rows) {
    const Index rows = std::min(block_rows, c.rows - i);
    for (Index r = 0; p.add && r < rows; ++r) {
      std::copy_n(c.data + (i + r) * c_stride, c.cols, buffer + r * width);
    }
    block_of<block_rows, 2>(rows, p, a.data + i / block_rows * a.panel_step, b, buffer);
    for (Index r = 0; r < rows; ++r) {
      std::copy_n(buffer + r * width, c.cols, c.data + (i + r) * c_stride);
    }
  }
}

void MultiplyPanels(Real alpha, const RowPanels& a, const Real* b_panels, Index k, Start start,
                    const Matrix& c) {
  const Index width = 2 * hn::Lanes(tag);
  Product p{k, a.row_step, a.col_step, width, c.stride, alpha, start.add};
  Index j = 0;
  for (; j < c.cols; j += width) {
    p.bias = start.bias != nullptr ? start.bias + j : nullptr;
    if (j + width > c.cols) break;
    multiply_panel<2>(p, a, b_panels + j * k, c.rows, c.data + j);
  }
  if (j < c.cols) multiply_part(p, a, b_panels + j * k, c.block(0, c.rows, j, c.cols - j));
}

}  // namespace HWY_NAMESPACE
}  // namespace bf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bf {

HWY_EXPORT(GetPanelShape);
HWY_EXPORT(PackColumns);
HWY_EXPORT(PackRows);
HWY_EXPORT(MultiplyPanels);

PanelShape panel_shape() { return HWY_DYNAMIC_DISPATCH(GetPanelShape)(); }

void pack_columns(const ConstMatrix& b, Real* to) { HWY_DYNAMIC_DISPATCH(PackColumns)(b, to); }

void pack_rows(const ConstMatrix& a, Real* to) { HWY_DYNAMIC_DISPATCH(PackRows)(a, to); }

void multiply_panels(Real alpha, const RowPanels& a, const Real* b_panels, Index k, Start start,
                     const Matrix& c) {
  HWY_DYNAMIC_DISPATCH(MultiplyPanels)(alpha, a, b_panels, k, start, c);
}

RowPanels RowPanels::in_place(const ConstMatrix& a) {
  return {a.data, panel_shape().rows * a.row_step(), a.row_step(), a.col_step()};
}

RowPanels RowPanels::packed(const Real* panels, Index k) {
  const Index rows = panel_shape().rows;
  return {panels, k * rows, 1, rows};
}

}  // namespace bf
#endif  // HWY_ONCE
