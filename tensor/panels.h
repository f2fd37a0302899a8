#pragma once

#include "tensor/matrix.h"

namespace bf {

/// The extents that the innermost loop of a product works on: rows of A by columns of B, e.g. 6 x
/// 16 floats with AVX2.
struct PanelShape {
  Index rows, cols;
};
PanelShape panel_shape();

/// Rearranges B [k, n] so that the product reads it from one end to the other: panels of `cols`
/// columns, each [k, cols] and one after the other, the last filled up with zeros.
///   to[j / cols * k * cols + l * cols + j % cols] = B(l, j)
void pack_columns(const ConstMatrix& b, Real* to);

/// Rearranges A [m, k] likewise in panels of `rows` rows, each [k, rows]; in the last, what is not
/// there is left as it was.
void pack_rows(const ConstMatrix& a, Real* to);

/// A [m, k] as panels: A(i, l) = data[i / rows * panel_step + i % rows * row_step + l * col_step].
struct RowPanels {
  const Real* data;
  Index panel_step, row_step, col_step;

  static RowPanels in_place(const ConstMatrix& a);
  static RowPanels packed(const Real* panels, Index k);
};

/// What a product is added to: C itself, or else a row for each row of C, or else nothing.
struct Start {
  bool add;
  const Real* bias = nullptr;  ///< [c.cols]
};

/// C = alpha A B + start, on the calling thread. A is [c.rows, k]; b_panels as pack_columns writes
/// it. An element is the sum over its row of A and column of B, in their order, whatever the shape
/// of C and wherever in C it is.
void multiply_panels(Real alpha, const RowPanels& a, const Real* b_panels, Index k, Start start,
                     const Matrix& c);

}  // namespace bf
