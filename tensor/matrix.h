#pragma once

#include <utility>

#include "tensor/tensor.h"

namespace bf {

/// A matrix to read: `rows` x `cols` values, row r at data + r * stride; or its transpose.
/// A slice of a larger matrix (a head, a block of rows) is a matrix with the larger one's stride.
struct ConstMatrix {
  const Real* data = nullptr;
  Index rows = 0, cols = 0, stride = 0;
  bool transposed = false;

  ConstMatrix(const Real* values, Index row_count, Index col_count, Index row_stride)
      : data(values), rows(row_count), cols(col_count), stride(row_stride) {}
  /// A tensor as [dim(0), the rest].
  ConstMatrix(const Tensor& tensor)
      : ConstMatrix(tensor.data(), tensor.dim(0), tensor.row_size(), tensor.row_size()) {}

  /// Distance between neighbours in a column, and in a row.
  Index row_step() const { return transposed ? 1 : stride; }
  Index col_step() const { return transposed ? stride : 1; }

  ConstMatrix t() const {
    ConstMatrix result = *this;
    std::swap(result.rows, result.cols);
    result.transposed = !transposed;
    return result;
  }
  ConstMatrix block(Index first_row, Index row_count, Index first_col, Index col_count) const {
    ConstMatrix result = *this;
    result.data += first_row * row_step() + first_col * col_step();
    result.rows = row_count;
    result.cols = col_count;
    return result;
  }
  ConstMatrix row_block(Index first, Index count) const { return block(first, count, 0, cols); }
  ConstMatrix col_block(Index first, Index count) const { return block(0, rows, first, count); }
};

/// A matrix to write; never transposed.
struct Matrix {
  Real* data = nullptr;
  Index rows = 0, cols = 0, stride = 0;

  Matrix(Real* values, Index row_count, Index col_count, Index row_stride)
      : data(values), rows(row_count), cols(col_count), stride(row_stride) {}
  Matrix(Tensor& tensor)
      : Matrix(tensor.data(), tensor.dim(0), tensor.row_size(), tensor.row_size()) {}

  Matrix block(Index first_row, Index row_count, Index first_col, Index col_count) const {
    return {data + first_row * stride + first_col, row_count, col_count, stride};
  }
};

}  // namespace bf
