#include "tensor/gemm.h"

#include <cblas.h>

#include <algorithm>

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

/// About eight row blocks of at least 96 rows (a block packs all of B once more: 96 rows make that
/// a tenth of its work), and column blocks where the rows alone do not give enough tiles.
Tiling choose_tiling(Index m, Index n, Index k) {
  constexpr Index wanted_tiles = 8, least_rows = 96, least_cols = 128;
  constexpr double least_tile_work = 2e6;  // operations: some 20 us, ten times a task's cost
  const double work = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const Index affordable = static_cast<Index>(std::clamp(work / least_tile_work, 1.0, 64.0));
  const Index tiles = std::min(wanted_tiles, affordable);
  if (tiles == 1) return {m, n};
  const Index rows = std::clamp(m / tiles / 8 * 8, std::min(m, least_rows), Index{384});
  const Index row_tiles = block_count(m, rows);
  if (row_tiles >= tiles) return {rows, n};
  const Index cols = std::max(least_cols, block_count(n, block_count(tiles, row_tiles)));
  return {rows, (cols + 15) / 16 * 16};
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
  check(a, b, c);
  if (c.rows == 0 || c.cols == 0) return;
  const Tiling tile = choose_tiling(c.rows, c.cols, a.cols);
  const Index row_tiles = block_count(c.rows, tile.rows);
  const Index col_tiles = block_count(c.cols, tile.cols);
  parallel_for(row_tiles * col_tiles, 1, [&](Index first, Index last) {
    for (Index index = first; index < last; ++index) {
      const Index row = index / col_tiles * tile.rows, col = index % col_tiles * tile.cols;
      const Index rows = std::min(tile.rows, c.rows - row), cols = std::min(tile.cols, c.cols - col);
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
