#include "tensor/gemm.h"

#include <cblas.h>

#include <algorithm>
#include <bit>

#include "tensor/profile.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// oneTBB owns every thread: OpenBLAS computes each tile on the thread that calls it.
const bool openblas_is_serial = [] {
  openblas_set_num_threads(1);
  return true;
}();

void call_blas(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta, const Matrix& c) {
  const auto trans_a = a.transposed ? CblasTrans : CblasNoTrans;
  const auto trans_b = b.transposed ? CblasTrans : CblasNoTrans;
  const auto m = static_cast<blasint>(c.rows), n = static_cast<blasint>(c.cols);
  const auto k = static_cast<blasint>(a.cols);
  const auto lda = static_cast<blasint>(a.stride), ldb = static_cast<blasint>(b.stride);
  const auto ldc = static_cast<blasint>(c.stride);
#ifdef BF_DOUBLE
  cblas_dgemm(CblasRowMajor, trans_a, trans_b, m, n, k, alpha, a.data, lda, b.data, ldb, beta,
              c.data, ldc);
#else
  cblas_sgemm(CblasRowMajor, trans_a, trans_b, m, n, k, alpha, a.data, lda, b.data, ldb, beta,
              c.data, ldc);
#endif
}

/// C = beta C without reading C when beta is 0.
void scale(Real beta, const Matrix& c) {
  for (Index r = 0; r < c.rows; ++r) {
    Real* row = c.data + r * c.stride;
    for (Index j = 0; j < c.cols; ++j) row[j] = beta == 0 ? 0 : beta * row[j];
  }
}

void check(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c) {
  require(a.cols == b.rows && c.rows == a.rows && c.cols == b.cols, "gemm: shapes do not fit: [",
          a.rows, ", ", a.cols, "] x [", b.rows, ", ", b.cols, "] -> [", c.rows, ", ", c.cols, "]");
}

/// Extents of the tiles of an m x n product over k.
struct Tiling {
  Index rows, cols;
};

/// `extent` in `parts` of the same size, rounded up to what the processor kernels work on at a
/// time.
Index even_part(Index extent, Index parts, Index unit) {
  const Index part = block_count(extent, parts);
  return std::min(extent, block_count(part, unit) * unit);
}

/// Eight tiles of one size, so that 2, 4 and 8 threads finish together: blocks of rows where there
/// are enough rows (64 and more make it worth packing all of B once more per block), and blocks of
/// columns for what is missing. A product that is too small gets fewer.
Tiling choose_tiling(Index m, Index n, Index k) {
  constexpr Index wanted_tiles = 8, least_rows = 64, least_cols = 64, most_rows = 384;
  constexpr double least_tile_work = 2e6;  // operations: some 20 us, ten times a task's cost
  const double work =
      2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const Index affordable = static_cast<Index>(std::clamp(work / least_tile_work, 1.0, 64.0));
  const Index tiles = std::bit_floor(std::min(wanted_tiles, affordable));
  const auto parts = [](Index extent, Index least, Index most) {
    return std::bit_floor(std::clamp(extent / least, Index{1}, most));
  };
  const Index row_parts = parts(m, least_rows, tiles);
  const Index col_parts = parts(n, least_cols, tiles / row_parts);
  return {std::min(even_part(m, row_parts, 8), most_rows), even_part(n, col_parts, 16)};
}

}  // namespace

ConstMatrix ConstMatrix::t() const {
  ConstMatrix result = *this;
  std::swap(result.rows, result.cols);
  result.transposed = !transposed;
  return result;
}

ConstMatrix ConstMatrix::row_block(Index first, Index count) const {
  ConstMatrix result = *this;
  result.data += transposed ? first : first * stride;
  result.rows = count;
  return result;
}

ConstMatrix ConstMatrix::col_block(Index first, Index count) const {
  return t().row_block(first, count).t();
}

void gemm_serial(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta, Matrix c,
                 FlopKind kind) {
  check(a, b, c);
  if (c.rows == 0 || c.cols == 0) return;
  if (a.cols == 0) return scale(beta, c);
  call_blas(alpha, a, b, beta, c);
  count_flops(kind, std::uint64_t{2} * c.rows * c.cols * a.cols);
}

void gemm(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta, Matrix c,
          Epilogue epilogue) {
  const ProfileScope scope(WorkKind::gemm);
  check(a, b, c);
  if (c.rows == 0 || c.cols == 0) return;
  const Tiling tile = choose_tiling(c.rows, c.cols, a.cols);
  const Index row_tiles = block_count(c.rows, tile.rows);
  const Index col_tiles = block_count(c.cols, tile.cols);
  parallel_for(row_tiles * col_tiles, 1, [&](Index first, Index last) {
    for (Index index = first; index < last; ++index) {
      const Index row = index / col_tiles * tile.rows, col = index % col_tiles * tile.cols;
      const Index rows = std::min(tile.rows, c.rows - row),
                  cols = std::min(tile.cols, c.cols - col);
      const Matrix part = c.block(row, rows, col, cols);
      gemm_serial(alpha, a.row_block(row, rows), b.col_block(col, cols), beta, part);
      epilogue(part, row, col);
    }
  });
}

void gemm(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta, Matrix c) {
  gemm(alpha, a, b, beta, c, [](Matrix, Index, Index) {});
}

const char* gemm_kernel_name() { return openblas_is_serial ? openblas_get_corename() : ""; }

}  // namespace bf
