#pragma once

#include "tensor/flops.h"
#include "tensor/parallel.h"
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

  ConstMatrix t() const;
  ConstMatrix row_block(Index first, Index count) const;
  ConstMatrix col_block(Index first, Index count) const;
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

/// Called for a finished tile of C while it is in cache: rows [row, row + rows), columns likewise.
using Epilogue = FunctionRef<void(Matrix tile, Index row, Index col)>;

/// C = alpha A B + beta C, with A [m, k], B [k, n], C [m, n].
/// The contract, tested: beta = 0 never reads C (it may hold NaN); k = 0 gives beta C; a NaN in A
/// or B reaches C. Tiles of C run on all threads; their sizes depend on the shape alone.
/// Counts 2 m n k operations. Throws std::invalid_argument when the shapes do not fit.
void gemm(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta, Matrix c);
void gemm(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta, Matrix c,
          Epilogue epilogue);

/// The same on the calling thread alone, for use inside a parallel_for body.
void gemm_serial(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta, Matrix c,
                 FlopKind kind = FlopKind::linear);

/// Name of the processor kernels that OpenBLAS chose, e.g. "Zen".
const char* gemm_kernel_name();

}  // namespace bf
