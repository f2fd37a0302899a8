#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <string>

#include "tensor/gemm.h"
#include "tests/values.h"

using namespace bf;

namespace {

Real element(const ConstMatrix& a, Index row, Index col) {
  return a.transposed ? a.data[col * a.stride + row] : a.data[row * a.stride + col];
}

/// Largest |C - expected| in units of what rounding may cost an element: every one of the k + 2
/// operations may be off by epsilon of the sum of magnitudes. Fine up to 1; infinite for a NaN.
double worst_error(Real alpha, const ConstMatrix& a, const ConstMatrix& b, Real beta,
                   const std::vector<Real>& c_before, const Matrix& c) {
  double worst = 0;
  for (Index i = 0; i < c.rows; ++i) {
    for (Index j = 0; j < c.cols; ++j) {
      double sum = 0, size = 0;
      for (Index l = 0; l < a.cols; ++l) {
        const double term = double{alpha} * double{element(a, i, l)} * double{element(b, l, j)};
        sum += term, size += std::abs(term);
      }
      if (beta != 0) {
        const double term = double{beta} * double{c_before[i * c.stride + j]};
        sum += term, size += std::abs(term);
      }
      const double error = std::abs(double{c.data[i * c.stride + j]} - sum);
      const double allowed = static_cast<double>(a.cols + 2) * epsilon * size;
      if (!(error <= allowed)) worst = std::max(worst, allowed > 0 ? error / allowed : INFINITY);
    }
  }
  return worst;
}

/// A matrix of seeded values inside a wider one, transposed or not.
struct Operand {
  Operand(Index rows, Index cols, bool transposed, std::uint64_t seed, Index extra = 3)
      : stride((transposed ? rows : cols) + extra),
        values(seeded_values((transposed ? cols : rows) * stride + extra, seed)),
        matrix(values.data() + extra, transposed ? cols : rows, transposed ? rows : cols, stride) {
    if (transposed) matrix = matrix.t();
  }
  Index stride;
  std::vector<Real> values;
  ConstMatrix matrix;
};

struct BackendGuard {
  explicit BackendGuard(GemmBackend backend) { set_gemm_backend(backend); }
  ~BackendGuard() { set_gemm_backend(GemmBackend::own); }
};

/// One product on all four transpose combinations, in slices of wider matrices.
void check_product(Index m, Index n, Index k, Real alpha, Real beta) {
  for (const bool trans_a : {false, true}) {
    for (const bool trans_b : {false, true}) {
      const Operand a(m, k, trans_a, 1), b(k, n, trans_b, 2);
      const Index stride = n + 5;
      std::vector<Real> c = seeded_values(m * stride, 3);
      if (beta == 0) c.assign(c.size(), NAN);
      const std::vector<Real> before = c;
      const Matrix out(c.data(), m, n, stride);
      gemm(alpha, a.matrix, b.matrix, beta, out);
      CAPTURE(m);
      CAPTURE(n);
      CAPTURE(k);
      CAPTURE(trans_a);
      CAPTURE(trans_b);
      CHECK(worst_error(alpha, a.matrix, b.matrix, beta, before, out) == 0);
      Index touched = 0;  // what lies between the rows of C stays as it was
      for (Index i = 0; i < m * stride; ++i) {
        if (i % stride >= n && std::memcmp(&c[i], &before[i], sizeof(Real)) != 0) ++touched;
      }
      CHECK(touched == 0);
    }
  }
}

}  // namespace

TEST_CASE("gemm: all transposes at every remainder of a vector and a block") {
  for (Index size = 1; size <= 17; ++size) {
    check_product(size, 5, 7, 1, 0);
    check_product(3, size, 18 - size, 1, 0);
    check_product(16 + size, 33, size, 1, 0);
  }
}

TEST_CASE("gemm: shapes of one row, one column and several tiles") {
  check_product(1, 1, 1, 1, 0);
  check_product(1, 200, 65, 1, 0);
  check_product(200, 1, 65, 1, 0);
  check_product(131, 129, 127, 1, 0);
  check_product(801, 70, 130, 1, 0);
  check_product(70, 801, 130, 1, 0);
  check_product(301, 303, 97, 1, 0);
}

TEST_CASE("gemm: alpha scales the product, beta what was there") {
  for (const Real alpha : {Real(0), Real(1), Real(-0.5)}) {
    for (const Real beta : {Real(0), Real(1), Real(2.5)}) {
      CAPTURE(alpha);
      CAPTURE(beta);
      check_product(13, 11, 9, alpha, beta);
      check_product(300, 130, 64, alpha, beta);
    }
  }
}

TEST_CASE("gemm: an inner dimension of 0 gives beta C") {
  const Real unused = 0;
  for (const GemmBackend backend : {GemmBackend::own, GemmBackend::openblas}) {
    const BackendGuard guard(backend);
    for (const Real beta : {Real(0), Real(1), Real(2)}) {
      for (const Index rows : Sizes{1, 2, 131}) {
        std::vector<Real> c(3 * rows, beta == 0 ? NAN : Real(3));
        gemm(1, ConstMatrix(&unused, rows, 0, 0), ConstMatrix(&unused, 0, 3, 3), beta,
             Matrix(c.data(), rows, 3, 3));
        CHECK(c == std::vector<Real>(3 * rows, beta * 3));
      }
    }
  }
}

TEST_CASE("gemm: no rows or no columns touch nothing") {
  const Tensor a({0, 4}), b = seeded_tensor({4, 3}, 1);
  Tensor c({0, 3});
  gemm(1, a, b, 0, c);
  Tensor none({4, 0});
  gemm(1, b, Tensor({3, 0}), 0, none);
  CHECK(c.size() == 0);
}

TEST_CASE("gemm: what is not finite in A or B reaches its row or column of C, times 0 as well") {
  const Real nan = NAN, infinity = INFINITY;
  for (const GemmBackend backend : {GemmBackend::own, GemmBackend::openblas}) {
    const BackendGuard guard(backend);
    for (const Index size : Sizes{1, 5, 300}) {
      for (const Real value : {nan, infinity}) {
        for (const bool in_a : {true, false}) {
          Tensor a = Tensor::full({size, size}, in_a ? 0 : 1), b = Tensor::zeros({size, size});
          Tensor c({size, size});
          const Index row = size / 2, col = size / 3;
          (in_a ? a : b)[row * size + col] = value;
          gemm(1, a, b, 0, c);
          Index misplaced = 0;
          for (Index i = 0; i < c.size(); ++i) {
            const bool expected = in_a ? i / size == row : i % size == col;
            misplaced += std::isfinite(c[i]) == expected;
          }
          CHECK(misplaced == 0);
        }
      }
    }
  }
}

TEST_CASE("gemm: the epilogue sees every finished element once") {
  for (const Index m : Sizes{1, 17, 700}) {
    for (const Index n : Sizes{1, 130, 515}) {
      const Tensor a = seeded_tensor({m, 40}, 1), b = seeded_tensor({40, n}, 2);
      Tensor plain({m, n}), c({m, n});
      gemm(1, a, b, 0, plain);
      const ThreadsGuard guard(8);
      gemm(1, a, b, 0, c, [&](Matrix tile, Index row, Index col) {
        for (Index i = 0; i < tile.rows; ++i) {
          for (Index j = 0; j < tile.cols; ++j) {
            Real& value = tile.data[i * tile.stride + j];
            value += static_cast<Real>(1000 * (row + i) + col + j);
          }
        }
      });
      Index wrong = 0;
      for (Index i = 0; i < m * n; ++i) {
        wrong += c[i] != plain[i] + static_cast<Real>(1000 * (i / n) + i % n);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("gemm: tiles cover C once and do not depend on the number of threads") {
  using Tile = std::array<Index, 4>;
  for (const auto& [m, n, k] :
       {std::array<Index, 3>{1500, 768, 256}, {17, 2000, 500}, {128, 128, 1500}}) {
    const Tensor a = seeded_tensor({m, k}, 1), b = seeded_tensor({k, n}, 2);
    Tensor c({m, n});
    std::set<Tile> expected;
    for (const Index thread_count : Sizes{1, 2, 8}) {
      const ThreadsGuard guard(thread_count);
      std::set<Tile> tiles;
      std::mutex mutex;
      gemm(1, a, b, 0, c, [&](Matrix tile, Index row, Index col) {
        const std::lock_guard lock(mutex);
        tiles.insert({row, col, tile.rows, tile.cols});
        if (tile.data != c.row(row) + col) tiles.clear();
      });
      Index area = 0;
      for (const Tile& tile : tiles) area += tile[2] * tile[3];
      CHECK(area == m * n);
      CHECK(tiles.size() > 1);
      if (thread_count == 1) expected = tiles;
      CHECK(tiles == expected);
    }
  }
}

TEST_CASE("gemm: the same bits on 1, 2 and 8 threads") {
  const Tensor a = seeded_tensor({517, 260}, 1), b = seeded_tensor({260, 190}, 2);
  Tensor expected({517, 190}), gradient({260, 190});
  const Tensor up = seeded_tensor({517, 190}, 3);
  {
    const ThreadsGuard guard(1);
    gemm(1, a, b, 0, expected);
    gemm(1, ConstMatrix(a).t(), up, 0, gradient);
  }
  for (const Index thread_count : Sizes{2, 8}) {
    const ThreadsGuard guard(thread_count);
    for (int repeat = 0; repeat < 10; ++repeat) {
      Tensor c({517, 190}), g({260, 190});
      gemm(1, a, b, 0, c);
      gemm(1, ConstMatrix(a).t(), up, 0, g);
      CHECK(same_bits(c, expected));
      CHECK(same_bits(g, gradient));
    }
  }
}

TEST_CASE("gemm: a row has the same bits whatever rows are around it") {
  const Index k = 300, n = 70;  // two blocks of the inner dimension; columns beside whole panels
  const Tensor a = seeded_tensor({259, k}, 1), b = seeded_tensor({k, n}, 2);
  Tensor whole({259, n});
  gemm(1, a, b, 0, whole);
  for (const Index first : Sizes{0, 1, 6, 97, 200}) {
    for (const Index rows : Sizes{1, 2, 5, 12, 59}) {
      Tensor part({rows, n});
      gemm(1, ConstMatrix(a).row_block(first, rows), b, 0, part);
      CHECK(same_bits(part, whole.rows(first, rows)));
    }
  }
}

TEST_CASE("gemm: a bias starts every row") {
  const Tensor a = seeded_tensor({101, 300}, 1), w = seeded_tensor({37, 300}, 2),
               bias = seeded_tensor({37}, 3);
  for (const GemmBackend backend : {GemmBackend::own, GemmBackend::openblas}) {
    const BackendGuard guard(backend);
    Tensor with({101, 37}), without({101, 37});
    with.fill(std::numeric_limits<Real>::quiet_NaN());
    gemm_bias(a, ConstMatrix(w).t(), bias.data(), with);
    gemm_bias(a, ConstMatrix(w).t(), nullptr, without);
    for (Index i = 0; i < with.size(); ++i) {
      CHECK(with[i] == doctest::Approx(without[i] + bias[i % 37]).epsilon(1e-4));
    }
  }
}

TEST_CASE("gemm: a rearranged B gives the bits of gemm_bias, with every epilogue tile once") {
  for (const Index k : Sizes{1, 40, 300}) {
    for (const Index n : Sizes{1, 37, 160}) {
      const Tensor a = seeded_tensor({50, k}, 1), b = seeded_tensor({k, n}, 2),
                   bias = seeded_tensor({n}, 3);
      const PackedMatrix packed{ConstMatrix(b)};
      for (const Real* offsets : {bias.data(), static_cast<const Real*>(nullptr)}) {
        Tensor expected({50, n}), c({50, n});
        gemm_bias(a, b, offsets, expected);
        Tensor visits = Tensor::zeros({50, n});
        gemm_bias(a, packed, offsets, c, [&](Matrix tile, Index row, Index col) {
          for (Index r = 0; r < tile.rows; ++r) {
            for (Index j = 0; j < tile.cols; ++j) visits.row(row + r)[col + j] += 1;
          }
        });
        CHECK(same_bits(c, expected));
        CHECK(same_bits(visits, Tensor::full({50, n}, 1)));
      }
    }
  }
}

TEST_CASE("gemm: a rearranged B without rows or columns, or of another shape") {
  const auto nothing = [](Matrix, Index, Index) {};
  const Tensor a({5, 0}), b({0, 7}), bias = seeded_tensor({7}, 3);
  Tensor c = Tensor::full({5, 7}, std::numeric_limits<Real>::quiet_NaN());
  gemm_bias(a, PackedMatrix{ConstMatrix(b)}, bias.data(), c, nothing);
  for (Index i = 0; i < c.size(); ++i) CHECK(c[i] == bias[i % 7]);
  const Tensor wide = seeded_tensor({5, 3}, 1), none({3, 0});
  Tensor empty({5, 0});
  gemm_bias(wide, PackedMatrix{ConstMatrix(none)}, nullptr, empty, nothing);
  CHECK(error_text<std::invalid_argument>([&] {
          gemm_bias(wide, PackedMatrix{ConstMatrix(b)}, nullptr, c, nothing);
        }) == "gemm: shapes do not fit: [5, 3] x [0, 7] -> [5, 7]");
}

TEST_CASE("gemm: OpenBLAS keeps the same contract") {
  const BackendGuard guard(GemmBackend::openblas);
  check_product(130, 70, 40, Real(0.5), 0);
  check_product(7, 300, 290, -1, 2);
  check_product(1, 200, 65, 1, 0);
  check_product(200, 1, 65, 1, 0);
  check_product(1, 1, 1, 1, 0);
  CHECK(gemm_kernel_name().rfind("OpenBLAS ", 0) == 0);
}

TEST_CASE("gemm: counts 2 m n k however it is cut into tiles") {
  std::uint64_t expected = 0;
  const Flops before = executed_flops();
  for (const Index m : Sizes{1, 96, 700}) {
    for (const Index n : Sizes{3, 256, 640}) {
      const Tensor a = seeded_tensor({m, 50}, 1), b = seeded_tensor({50, n}, 2);
      Tensor c({m, n});
      gemm(1, a, b, 0, c);
      expected += 2 * m * n * 50;
    }
  }
  const Flops counted = executed_flops() - before;
  CHECK(counted.linear == expected);
  CHECK(counted.attention == 0);
}

TEST_CASE("gemm: blocks and transposes address the same values") {
  const Tensor values = Tensor::from({3, 4}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  const ConstMatrix a(values);
  CHECK(element(a.row_block(1, 2), 1, 3) == 23);
  CHECK(element(a.col_block(1, 2), 2, 1) == 22);
  CHECK(element(a.t(), 3, 2) == 23);
  CHECK(element(a.t().row_block(2, 2), 1, 0) == 3);
  CHECK(element(a.t().col_block(1, 2), 0, 1) == 20);
  CHECK(element(a.t().t(), 1, 2) == 12);
  CHECK(a.t().rows == 4);
  CHECK(a.col_block(1, 2).cols == 2);
}

TEST_CASE("gemm: shapes that do not fit are named") {
  const Tensor a = seeded_tensor({2, 3}, 1), b = seeded_tensor({4, 5}, 2);
  Tensor c({2, 5});
  CHECK(error_text<std::invalid_argument>([&] { gemm(1, a, b, 0, c); }) ==
        "gemm: shapes do not fit: [2, 3] x [4, 5] -> [2, 5]");
  CHECK(error_text<std::invalid_argument>([&] { gemm(1, a, ConstMatrix(b).t(), 0, c); }) ==
        "gemm: shapes do not fit: [2, 3] x [5, 4] -> [2, 5]");
}

TEST_CASE("gemm: the processor's kernels have a name") {
  CHECK(gemm_kernel_name().rfind("own ", 0) == 0);
}
