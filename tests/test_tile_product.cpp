#include <doctest/doctest.h>

#include <cmath>

#include "tensor/tile_product.h"
#include "tests/values.h"

using namespace bf;

namespace {

/// One product into the middle of a wider C; counts the elements that are off, and those around
/// them that changed.
Index wrong_elements(Index m, Index n, Index k, bool trans_a, bool add) {
  const Index a_stride = (trans_a ? m : k) + 3, b_stride = n + 5, c_stride = n + 7;
  const std::vector<Real> a = seeded_values((trans_a ? k : m) * a_stride, 1);
  const std::vector<Real> b = seeded_values(k * b_stride, 2),
                          before = seeded_values(m * c_stride, 3);
  std::vector<Real> c = before;
  if (!add) c.assign(c.size(), NAN);
  ConstMatrix left(a.data(), trans_a ? k : m, trans_a ? m : k, a_stride);
  if (trans_a) left = left.t();
  tile_product(Real(0.5), left, {b.data(), k, n, b_stride}, add, {c.data(), m, n, c_stride});
  Index wrong = 0;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < c_stride; ++j) {
      const Real value = c[i * c_stride + j], old = before[i * c_stride + j];
      if (j >= n) {
        wrong += add ? value != old : !std::isnan(value);
        continue;
      }
      double sum = add ? double{old} : 0, size = std::abs(sum);
      for (Index l = 0; l < k; ++l) {
        const Real factor = trans_a ? a[l * a_stride + i] : a[i * a_stride + l];
        const double term = 0.5 * double{factor} * double{b[l * b_stride + j]};
        sum += term, size += std::abs(term);
      }
      wrong += !(std::abs(value - sum) <= static_cast<double>(k + 2) * epsilon * size);
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("tile_product: equals a loop for every number of rows, both ways round, added or not") {
  for (Index m = 1; m <= 19; ++m) {
    for (Index vectors = 1; vectors <= 5; ++vectors) {
      for (const Index k : Sizes{0, 1, 2, 17, 64}) {
        for (const bool trans_a : {false, true}) {
          CAPTURE(m);
          CAPTURE(vectors);
          CAPTURE(k);
          CAPTURE(trans_a);
          CHECK(wrong_elements(m, vectors * tile_lanes(), k, trans_a, false) == 0);
          CHECK(wrong_elements(m, vectors * tile_lanes(), k, trans_a, true) == 0);
        }
      }
    }
  }
}

TEST_CASE("tile_product: a NaN reaches its row alone") {
  const Index n = 2 * tile_lanes();
  Tensor a = Tensor::zeros({7, 5}), c({7, n});
  const Tensor b = seeded_tensor({5, n}, 4);
  a[3 * 5 + 2] = NAN;
  tile_product(1, a, b, false, c);
  for (Index i = 0; i < c.size(); ++i) CHECK(std::isnan(c[i]) == (i / n == 3));
}

TEST_CASE("tile_product: a transpose is filled up with zeros") {
  for (Index rows = 1; rows <= 17; ++rows) {
    for (const Index cols : Sizes{1, 5, 16}) {
      const Index stride = cols + 2, to_stride = rows + 4;
      const std::vector<Real> from = seeded_values(rows * stride, 5);
      std::vector<Real> to(cols * to_stride + 1, NAN);
      transpose_tile({from.data(), rows, cols, stride}, to.data(), to_stride);
      Index wrong = 0;
      for (Index j = 0; j < cols; ++j) {
        for (Index i = 0; i < to_stride; ++i) {
          wrong += to[j * to_stride + i] != (i < rows ? from[i * stride + j] : Real(0));
        }
      }
      CHECK(wrong == 0);
      CHECK(std::isnan(to.back()));
    }
  }
}
