#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tensor/panels.h"
#include "tests/values.h"

using namespace bf;

namespace {

std::vector<Real> packed_columns(const ConstMatrix& b) {
  const Index width = panel_shape().cols, panels = (b.cols + width - 1) / width;
  std::vector<Real> to(b.rows * panels * width, Real(NAN));
  pack_columns(b, to.data());
  return to;
}

}  // namespace

TEST_CASE("panels: columns are packed from either orientation, the last panel with zeros") {
  const Index width = panel_shape().cols, k = 5;
  for (const Index n : {width, width + 1, 2 * width + 7, Index{3}}) {
    const std::vector<Real> values = seeded_values(k * n, 1), flipped = [&] {
      std::vector<Real> t(n * k);
      for (Index l = 0; l < k; ++l) {
        for (Index j = 0; j < n; ++j) t[j * k + l] = values[l * n + j];
      }
      return t;
    }();
    const std::vector<Real> plain = packed_columns({values.data(), k, n, n});
    CHECK(packed_columns(ConstMatrix(flipped.data(), n, k, k).t()) == plain);
    for (Index l = 0; l < k; ++l) {
      for (Index j = 0; j < plain.size() / k; ++j) {
        CHECK(plain[j / width * k * width + l * width + j % width] ==
              (j < n ? values[l * n + j] : 0));
      }
    }
  }
}

TEST_CASE("panels: rows are packed from either orientation") {
  const Index height = panel_shape().rows;
  for (const Index m : {Index{1}, height, 2 * height + 1, 5 * height + 3}) {
    for (const Index k : {Index{1}, Index{2}, Index{37}}) {
      CAPTURE(m);
      CAPTURE(k);
      const std::vector<Real> values = seeded_values(m * k, 2);
      for (const bool transposed : {false, true}) {
        const ConstMatrix a = transposed ? ConstMatrix(values.data(), k, m, m).t()
                                         : ConstMatrix(values.data(), m, k, k);
        const Index size = (m + height - 1) / height * height * k;
        std::vector<Real> to(size + 64, Real(-7));
        pack_rows(a, to.data());
        Index wrong = 0;
        for (Index i = 0; i < m; ++i) {
          for (Index l = 0; l < k; ++l) {
            wrong += to[i / height * height * k + l * height + i % height] !=
                     values[transposed ? l * m + i : i * k + l];
          }
        }
        for (Index i = size; i < to.size(); ++i) wrong += to[i] != -7;
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("panels: an element has the same bits wherever it is and however A lies") {
  const Index m = 2 * panel_shape().rows + 3, n = 2 * panel_shape().cols + 5, k = 37;
  const std::vector<Real> a_values = seeded_values(m * k, 3), b_values = seeded_values(k * n, 4);
  const ConstMatrix a(a_values.data(), m, k, k), b(b_values.data(), k, n, n);
  const std::vector<Real> panels = packed_columns(b);
  std::vector<Real> whole(m * n), packed(m * n), row_panels((m + panel_shape().rows) * k);
  multiply_panels(2, RowPanels::in_place(a), panels.data(), k, {false}, {whole.data(), m, n, n});
  pack_rows(a, row_panels.data());
  multiply_panels(2, RowPanels::packed(row_panels.data(), k), panels.data(), k, {false},
                  {packed.data(), m, n, n});
  CHECK(packed == whole);
  for (Index i = 0; i < m; ++i) {  // each row as a product of its own
    std::vector<Real> row(n);
    multiply_panels(2, RowPanels::in_place(a.row_block(i, 1)), panels.data(), k, {false},
                    {row.data(), 1, n, n});
    CHECK(row == std::vector<Real>(whole.begin() + static_cast<std::ptrdiff_t>(i * n),
                                   whole.begin() + static_cast<std::ptrdiff_t>((i + 1) * n)));
  }
  // Adding to what is there, in the columns of the last panel too.
  multiply_panels(2, RowPanels::in_place(a), panels.data(), k, {true}, {packed.data(), m, n, n});
  for (Index i = 0; i < m * n; ++i) {
    CHECK(std::abs(packed[i] - 2 * whole[i]) <= 1e-4 * (1 + std::abs(whole[i])));
  }
}

TEST_CASE("panels: a bias starts every row, in the columns of the last panel too") {
  const Index m = panel_shape().rows + 1, n = panel_shape().cols + 3, k = 6;
  const std::vector<Real> a_values = seeded_values(m * k, 5), b_values = seeded_values(k * n, 6),
                          bias = seeded_values(n, 7);
  const ConstMatrix a(a_values.data(), m, k, k), b(b_values.data(), k, n, n);
  const std::vector<Real> panels = packed_columns(b);
  std::vector<Real> with(m * n, Real(NAN)), without(m * n, Real(NAN));
  multiply_panels(1, RowPanels::in_place(a), panels.data(), k, {false, bias.data()},
                  {with.data(), m, n, n});
  multiply_panels(1, RowPanels::in_place(a), panels.data(), k, {false}, {without.data(), m, n, n});
  for (Index i = 0; i < m * n; ++i) {
    CHECK(with[i] == doctest::Approx(without[i] + bias[i % n]).epsilon(1e-4));
  }
}
