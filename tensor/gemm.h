#pragma once

#include <memory>
#include <string>

#include "tensor/flops.h"
#include "tensor/matrix.h"
#include "tensor/parallel.h"

namespace bf {

/// Called for a finished tile of C while it is in cache: rows [row, row + rows), columns likewise.
using Epilogue = FunctionRef<void(Matrix tile, Index row, Index col)>;

/// C = alpha A B + beta C, with A [m, k], B [k, n], C [m, n].
/// The contract, tested: beta = 0 never reads C (it may hold NaN); k = 0 gives beta C; a NaN in A
/// or B reaches C. Tiles of C run on all threads; their sizes depend on the shape alone.
/// Counts 2 m n k operations. Throws std::invalid_argument when the shapes do not fit.
void gemm(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta, Matrix c);
void gemm(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta, Matrix c,
          Epilogue epilogue);

/// C = A B + 1 bias^T: the rows of C begin at `bias` [n], or at 0 where it is null; k = 0 leaves
/// them there. Counting, tiles and errors as gemm().
void gemm_bias(const ConstMatrix& a, const ConstMatrix& b, const Real* bias, Matrix c,
               Epilogue epilogue);
void gemm_bias(const ConstMatrix& a, const ConstMatrix& b, const Real* bias, Matrix c);

/// B [k, n], rearranged once for many products with the backend `own`: the weights of a model that
/// is used and not trained. Holds its own copy of the values.
class PackedMatrix {
 public:
  explicit PackedMatrix(const ConstMatrix& b);
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  /// Panels (panels.h) from column `col` on, of the block of `inner` rows that begins at row l.
  const Real* panels(Index l, Index inner, Index col) const {
    return data_.get() + l * padded_cols_ + col * inner;
  }
  /// Rows of a block: one panel of it, 16 KiB with AVX2, stays in the first two caches.
  static constexpr Index inner_block = 256;

 private:
  Index rows_, cols_, padded_cols_;
  std::shared_ptr<Real> data_;
};

void gemm_bias(const ConstMatrix& a, const PackedMatrix& b, const Real* bias, Matrix c,
               Epilogue epilogue);

/// Who computes the tiles. `own`: packed panels and a register-blocked kernel (panels.h), B being
/// rearranged once for all tiles. `openblas`: OpenBLAS on the thread that has the tile, for
/// comparison and for processors that it serves better (head dispatch always has `own`). The bits
/// of a product differ between the two, and depend on nothing else: neither threads nor, with
/// `own`, the rows above and below.
enum class GemmBackend { own, openblas };
/// For the whole process; `own` at first. Not to be called while a product runs.
void set_gemm_backend(GemmBackend backend);
GemmBackend gemm_backend();

/// The kernel in use, e.g. "own 6x16 AVX2", "OpenBLAS Zen".
std::string gemm_kernel_name();

}  // namespace bf
