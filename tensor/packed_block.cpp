#include "tensor/packed_block.h"

#include <algorithm>
#include <utility>

#include "tensor/flops.h"
#include "tensor/require.h"

namespace bf {

PackedBlock::PackedBlock(const ConstMatrix& b)
    : PackedBlock(std::make_shared<const PackedMatrix>(b), 0, b.rows, 0, b.cols) {}

PackedBlock::PackedBlock(std::shared_ptr<const PackedMatrix> whole, Index first_row, Index rows,
                         Index first_col, Index cols)
    : whole_(std::move(whole)),
      first_row_(first_row),
      rows_(rows),
      first_col_(first_col),
      cols_(cols) {
  require(first_row + rows <= whole_->rows() && first_col + cols <= whole_->cols() &&
              first_col % panel_shape().cols == 0,
          "packed block: rows ", first_row, " + ", rows, " and columns ", first_col, " + ", cols,
          " are not a block of [", whole_->rows(), ", ", whole_->cols(), "] in panels of ",
          panel_shape().cols, " columns");
}

void PackedBlock::multiply(Real alpha, const ConstMatrix& a, Start start, const Matrix& c) const {
  require(a.cols == rows_ && c.rows == a.rows && c.cols == cols_,
          "packed block: shapes do not fit: [", a.rows, ", ", a.cols, "] x [", rows_, ", ", cols_,
          "] -> [", c.rows, ", ", c.cols, "]");
  require(rows_ > 0, "packed block: there is no row");
  constexpr Index inner_block = PackedMatrix::inner_block;
  const Index panel = panel_shape().cols;
  // The panels of a block of rows lie next to each other, so of a part of its rows they do not:
  // then it is one product for each panel.
  for (Index done = 0; done < rows_;) {
    const Index row = first_row_ + done, block = row / inner_block * inner_block;
    const Index block_rows = std::min(inner_block, whole_->rows() - block);
    const Index inner = std::min(block + block_rows - row, rows_ - done);
    const Index step = inner == block_rows ? cols_ : panel;
    const RowPanels rows = RowPanels::in_place(a.col_block(done, inner));
    for (Index j = 0; j < cols_; j += step) {
      const Real* panels =
          whole_->panels(block, block_rows, first_col_ + j) + (row - block) * panel;
      multiply_panels(alpha, rows, panels, inner,
                      {start.add || done > 0, start.bias != nullptr ? start.bias + j : nullptr},
                      c.block(0, c.rows, j, std::min(step, cols_ - j)));
    }
    done += inner;
  }
  count_flops(FlopKind::linear, std::uint64_t{2} * c.rows * cols_ * rows_);
}

}  // namespace bf
