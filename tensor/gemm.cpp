#include "tensor/gemm.h"

#include <cblas.h>

#include <algorithm>

#include "tensor/allocator.h"
#include "tensor/kernels.h"
#include "tensor/panels.h"
#include "tensor/profile.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// oneTBB owns every thread: OpenBLAS computes each tile on the thread that calls it.
const bool openblas_is_serial = [] {
  openblas_set_num_threads(1);
  return true;
}();

GemmBackend backend_in_use = GemmBackend::own;

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

void check(const ConstMatrix& a, Index b_rows, Index b_cols, const Matrix& c) {
  require(a.cols == b_rows && c.rows == a.rows && c.cols == b_cols, "gemm: shapes do not fit: [",
          a.rows, ", ", a.cols, "] x [", b_rows, ", ", b_cols, "] -> [", c.rows, ", ", c.cols, "]");
}

Index round_up(Index count, Index unit) { return block_count(count, unit) * unit; }

/// Extents of the tiles of C that are tasks.
struct Tiling {
  Index rows, cols;
};

/// Many tiles, so that 2 to 16 threads finish together, none so small that it is not worth a task.
/// Their sizes come from the shape alone. Rows are split before columns: the tile's part of A is
/// read again for each panel of B, and 96 rows of it fit the second cache.
Tiling choose_tiling(Index m, Index n, Index k) {
  constexpr Index wanted_tiles = 64, most_rows = 96, least_rows = 24, most_cols = 1024;
  constexpr double least_tile_work = 2e6;  // operations: some 20 us, ten times a task's cost
  const double work =
      2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const auto wanted = static_cast<Index>(
      std::clamp(work / least_tile_work, 1.0, static_cast<double>(wanted_tiles)));
  const Index panel = panel_shape().cols, least_cols = 4 * panel;
  Tiling tile{most_rows, std::min(round_up(n, panel), most_cols)};
  const auto tiles = [&] { return block_count(m, tile.rows) * block_count(n, tile.cols); };
  while (tiles() < wanted && tile.rows > least_rows) tile.rows /= 2;
  while (tiles() < wanted && tile.cols > least_cols) tile.cols = round_up(tile.cols / 2, panel);
  return tile;
}

/// What C = alpha A B + beta C + 1 bias^T has besides its matrices; one of beta and bias is zero.
struct Terms {
  Real alpha, beta;
  const Real* bias = nullptr;
  Terms from_column(Index col) const { return {alpha, beta, bias ? bias + col : nullptr}; }
};

/// Calls pack(first, count) for groups of four panels of `extent` rows or columns, and each of the
/// inner blocks, on all threads.
void for_each_panel_group(Index extent, Index panel, Index inner_extent,
                          FunctionRef<void(Index first, Index count, Index l, Index inner)> pack) {
  constexpr Index inner_block = PackedMatrix::inner_block;
  const Index group = 4 * panel, groups = block_count(extent, group);
  parallel_for(block_count(inner_extent, inner_block) * groups, 1, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index l = i / groups * inner_block, first = i % groups * group;
      pack(first, std::min(group, extent - first), l, std::min(inner_block, inner_extent - l));
    }
  });
}

/// A as the tiles read it. Rows lie well as they are; where A is transposed, the values of a row
/// lie a stride apart, and it is rearranged as PackedMatrix does with columns.
class LeftOperand {
 public:
  explicit LeftOperand(const ConstMatrix& a) : a_(a) {
    if (!a.transposed) return;
    padded_rows_ = round_up(a.rows, panel_shape().rows);
    packed_ = allocate(padded_rows_ * a.cols);
    for_each_panel_group(a.rows, 2 * panel_shape().rows, a.cols,
                         [&](Index row, Index rows, Index l, Index inner) {
                           pack_rows(a.block(row, rows, l, inner), to(row, l, inner));
                         });
  }

  /// Rows from `row` on, a whole number of panels, and `inner` columns from l on.
  RowPanels panels(Index row, Index l, Index inner) const {
    if (packed_ != nullptr) return RowPanels::packed(to(row, l, inner), inner);
    return RowPanels::in_place(a_.block(row, a_.rows - row, l, inner));
  }
  Index inner() const { return a_.cols; }

 private:
  Real* to(Index row, Index l, Index inner) const {
    return packed_.get() + l * padded_rows_ + row * inner;
  }

  ConstMatrix a_;
  Index padded_rows_ = 0;
  std::shared_ptr<Real> packed_;
};

/// C = beta C + 1 bias^T.
void start(const Terms& terms, const Matrix& c) {
  scale(terms.beta, c);
  if (terms.bias == nullptr) return;
  for (Index r = 0; r < c.rows; ++r) std::copy_n(terms.bias, c.cols, c.data + r * c.stride);
}

/// The tile of C that begins at (row, col).
void multiply(const Terms& terms, const LeftOperand& a, const PackedMatrix& b, Index row, Index col,
              const Matrix& tile) {
  if (a.inner() == 0) return start(terms, tile);
  if (terms.beta != 0 && terms.beta != 1) scale(terms.beta, tile);
  constexpr Index inner_block = PackedMatrix::inner_block;
  for (Index l = 0; l < a.inner(); l += inner_block) {
    const Index inner = std::min(inner_block, a.inner() - l);
    multiply_panels(terms.alpha, a.panels(row, l, inner), b.panels(l, inner, col), inner,
                    {terms.beta != 0 || l > 0, terms.bias}, tile);
  }
}

void count(const ConstMatrix& a, const Matrix& c) {
  count_flops(FlopKind::linear, std::uint64_t{2} * c.rows * c.cols * a.cols);
}

/// Calls compute(tile, row, col) for every tile of C, on all threads.
void for_each_tile(const Matrix& c, Index inner,
                   FunctionRef<void(Matrix tile, Index row, Index col)> compute) {
  const Tiling tile = choose_tiling(c.rows, c.cols, inner);
  const Index col_tiles = block_count(c.cols, tile.cols);
  parallel_for(block_count(c.rows, tile.rows) * col_tiles, 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Index row = i / col_tiles * tile.rows, col = i % col_tiles * tile.cols;
      compute(
          c.block(row, std::min(tile.rows, c.rows - row), col, std::min(tile.cols, c.cols - col)),
          row, col);
    }
  });
}

void gemm_by_blas(const Terms& terms, const ConstMatrix& a, const ConstMatrix& b, const Matrix& c,
                  Epilogue epilogue) {
  count(a, c);
  for_each_tile(c, a.cols, [&](Matrix tile, Index row, Index col) {
    const Terms part = terms.from_column(col);
    if (part.bias != nullptr || a.cols == 0) start(part, tile);
    if (a.cols > 0) {
      call_blas(part.alpha, a.row_block(row, tile.rows), b.col_block(col, tile.cols),
                part.bias != nullptr ? 1 : part.beta, tile);
    }
    epilogue(tile, row, col);
  });
}

void gemm_packed(const Terms& terms, const ConstMatrix& a, const PackedMatrix& b, const Matrix& c,
                 Epilogue epilogue) {
  count(a, c);
  const LeftOperand left(a);
  for_each_tile(c, a.cols, [&](Matrix tile, Index row, Index col) {
    multiply(terms.from_column(col), left, b, row, col, tile);
    epilogue(tile, row, col);
  });
}

void gemm(const Terms& terms, const ConstMatrix& a, const ConstMatrix& b, const Matrix& c,
          Epilogue epilogue) {
  const ProfileScope scope(WorkKind::gemm);
  check(a, b.rows, b.cols, c);
  if (c.rows == 0 || c.cols == 0) return;
  if (backend_in_use == GemmBackend::openblas) return gemm_by_blas(terms, a, b, c, epilogue);
  gemm_packed(terms, a, PackedMatrix(b), c, epilogue);
}

constexpr auto nothing = [](Matrix, Index, Index) {};

}  // namespace

PackedMatrix::PackedMatrix(const ConstMatrix& b)
    : rows_(b.rows),
      cols_(b.cols),
      padded_cols_(round_up(b.cols, panel_shape().cols)),
      data_(allocate(rows_ * padded_cols_)) {
  for_each_panel_group(
      cols_, panel_shape().cols, rows_, [&](Index col, Index cols, Index l, Index inner) {
        pack_columns(b.block(l, inner, col, cols), data_.get() + l * padded_cols_ + col * inner);
      });
}

void gemm(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta, Matrix c) {
  gemm(Terms{alpha, beta}, a, b, c, nothing);
}

void gemm(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta, Matrix c,
          Epilogue epilogue) {
  gemm(Terms{alpha, beta}, a, b, c, epilogue);
}

void gemm_bias(const ConstMatrix& a, const ConstMatrix& b, const Real* bias, Matrix c) {
  gemm(Terms{1, 0, bias}, a, b, c, nothing);
}

void gemm_bias(const ConstMatrix& a, const ConstMatrix& b, const Real* bias, Matrix c,
               Epilogue epilogue) {
  gemm(Terms{1, 0, bias}, a, b, c, epilogue);
}

void gemm_bias(const ConstMatrix& a, const PackedMatrix& b, const Real* bias, Matrix c,
               Epilogue epilogue) {
  const ProfileScope scope(WorkKind::gemm);
  check(a, b.rows(), b.cols(), c);
  if (c.rows == 0 || c.cols == 0) return;
  gemm_packed({1, 0, bias}, a, b, c, epilogue);
}

void set_gemm_backend(GemmBackend backend) { backend_in_use = backend; }
GemmBackend gemm_backend() { return backend_in_use; }

std::string gemm_kernel_name() {
  if (backend_in_use == GemmBackend::openblas) {
    return std::string("OpenBLAS ") + (openblas_is_serial ? openblas_get_corename() : "");
  }
  const PanelShape panel = panel_shape();
  return "own " + std::to_string(panel.rows) + 'x' + std::to_string(panel.cols) + ' ' +
         simd_target_name();
}

}  // namespace bf
