#pragma once

#include <memory>

#include "tensor/gemm.h"
#include "tensor/panels.h"

namespace bf {

/// Some rows and columns of a matrix that was rearranged as a whole (PackedMatrix), e.g. the slice
/// of one head: the right-hand matrix B [k, n] of products with few rows each. They start computing
/// at once, so that they run at nearly full speed on the rows of one short sequence.
class PackedBlock {
 public:
  PackedBlock() = default;
  /// All of B, rearranged now.
  explicit PackedBlock(const ConstMatrix& b);
  /// Rows [first_row, first_row + rows) of `whole`, columns likewise. Throws std::invalid_argument
  /// when they are not in it, or first_col is not the first of a panel (panel_shape().cols).
  PackedBlock(std::shared_ptr<const PackedMatrix> whole, Index first_row, Index rows,
              Index first_col, Index cols);

  /// C = alpha A B + start, on the calling thread.   A [m, k]   C [m, n]
  /// A row of C depends on its row of A alone, not on m; of a block that has all rows of the whole,
  /// it has the bits that gemm() gives it. Counts 2 m n k operations.
  /// Throws std::invalid_argument when the shapes do not fit or B has no row.
  void multiply(Real alpha, const ConstMatrix& a, Start start, const Matrix& c) const;

 private:
  std::shared_ptr<const PackedMatrix> whole_;
  Index first_row_ = 0, rows_ = 0, first_col_ = 0, cols_ = 0;
};

}  // namespace bf
