#include "tensor/packed_block.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "tensor/flops.h"
#include "tensor/gemm.h"
#include "tests/support.h"

using namespace bf;

namespace {

/// alpha a b (+ c) in double.
std::vector<double> plain(Real alpha, const Tensor& a, const Tensor& b, const Tensor& c, bool add) {
  std::vector<double> result;
  for (Index i = 0; i < a.dim(0); ++i) {
    for (Index j = 0; j < b.dim(1); ++j) {
      double sum = 0;
      for (Index l = 0; l < b.dim(0); ++l) sum += double{a.row(i)[l]} * double{b.row(l)[j]};
      result.push_back(double{alpha} * sum + (add ? double{c.row(i)[j]} : 0.0));
    }
  }
  return result;
}

Tensor transposed(const Tensor& a) {
  Tensor t({a.dim(1), a.dim(0)});
  for (Index i = 0; i < a.dim(0); ++i) {
    for (Index j = 0; j < a.dim(1); ++j) t.row(j)[i] = a.row(i)[j];
  }
  return t;
}

}  // namespace

TEST_CASE("packed_block: products of every remainder, either way round, added or not") {
  for (const Index rows : Sizes{1, 2, 5, 6, 7, 13}) {
    for (const Index inner : Sizes{1, 8, 300}) {
      for (const Index cols : Sizes{1, 15, 16, 33}) {
        const Tensor a = seeded_tensor({rows, inner}, 1), b = seeded_tensor({inner, cols}, 2);
        const Tensor a_t = transposed(a), b_t = transposed(b);
        const PackedBlock packed(b), packed_t(ConstMatrix(b_t).t());
        for (const bool add : {false, true}) {
          const Tensor before = seeded_tensor({rows, cols}, 3);
          Tensor c = before.clone(), c_t = before.clone();
          const Real alpha = Real(0.5);
          packed.multiply(alpha, a, {add}, c);
          packed_t.multiply(alpha, ConstMatrix(a_t).t(), {add}, c_t);
          const double tolerance = roundings(4 * static_cast<double>(inner));
          CHECK(mismatch(c, plain(alpha, a, b, before, add), tolerance) == "");
          CHECK(same_bits(c, c_t));
        }
      }
    }
  }
}

TEST_CASE("packed_block: what is not added to is never read") {
  const Tensor a = seeded_tensor({7, 300}, 1), b = seeded_tensor({300, 17}, 2);
  Tensor c = Tensor::full({7, 17}, std::numeric_limits<Real>::quiet_NaN());
  PackedBlock(b).multiply(1, a, {false}, c);
  CHECK(mismatch(c, plain(1, a, b, c, false), roundings(1200)) == "");
}

TEST_CASE("packed_block: a bias is added once") {
  const Tensor a = seeded_tensor({7, 300}, 1), b = seeded_tensor({300, 17}, 2);
  const Tensor bias = seeded_tensor({17}, 3);
  Tensor c({7, 17}), rows({7, 17});
  for (Index i = 0; i < 7; ++i) std::copy_n(bias.data(), 17, rows.row(i));
  PackedBlock(b).multiply(2, a, {false, bias.data()}, c);
  CHECK(mismatch(c, plain(2, a, b, rows, true), roundings(1200)) == "");
}

TEST_CASE("packed_block: a row has the bits that gemm gives it among others") {
  const Tensor a = seeded_tensor({50, 600}, 1), b = seeded_tensor({600, 40}, 2);
  Tensor whole({50, 40}), row({1, 40});
  gemm(1, a, b, 0, whole);
  const PackedBlock packed(b);
  for (const Index r : Sizes{0, 7, 49}) {
    packed.multiply(1, a.rows(r, 1), {false}, row);
    CHECK(same_bits(row, whole.rows(r, 1)));
  }
}

TEST_CASE("packed_block: a part has the products of its rows and columns") {
  const Index panel = panel_shape().cols;
  const Tensor a = seeded_tensor({9, 700}, 1), b = seeded_tensor({700, 5 * panel + 3}, 2);
  const auto whole = std::make_shared<const PackedMatrix>(b);
  const Tensor bias = seeded_tensor({b.dim(1)}, 3);
  for (const Index first : Sizes{0, 32, 250, 511}) {
    for (const Index rows : Sizes{1, 32, 180}) {
      for (const auto& [col, cols] : {std::pair{Index{0}, 5 * panel + 3},
                                      {panel, 2 * panel},
                                      {2 * panel, panel + 5},
                                      {5 * panel, Index{3}}}) {
        const ConstMatrix left = ConstMatrix(a).col_block(first, rows);
        Tensor got({9, cols}), want({9, cols});
        PackedBlock(whole, first, rows, col, cols)
            .multiply(2, left, {false, bias.data() + col}, got);
        for (Index i = 0; i < 9; ++i) std::copy_n(bias.data() + col, cols, want.row(i));
        gemm(2, left, ConstMatrix(b).block(first, rows, col, cols), 1, want);
        CHECK(mismatch(got, want, roundings(800)) == "");
      }
    }
  }
}

TEST_CASE("packed_block: counts its operations, and names what does not fit") {
  const PackedBlock block(Tensor::zeros({5, 3}));
  Tensor c({2, 3});
  const Flops before = executed_flops();
  block.multiply(1, Tensor::zeros({2, 5}), {false}, c);
  CHECK((executed_flops() - before).linear == 2 * 2 * 5 * 3);
  CHECK(error_text([&] {
          block.multiply(1, Tensor::zeros({2, 4}), {false}, c);
        }) == "packed block: shapes do not fit: [2, 4] x [5, 3] -> [2, 3]");
  const auto whole = std::make_shared<const PackedMatrix>(Tensor::zeros({5, 3}));
  const Index panel = panel_shape().cols;
  CHECK(error_text([&] { PackedBlock(whole, 3, 3, 0, 3); }) ==
        join_parts("packed block: rows 3 + 3 and columns 0 + 3 are not a block of [5, 3] in panels "
                   "of ",
                   panel, " columns"));
  CHECK(error_text([&] { PackedBlock(whole, 0, 5, 1, 2); }) ==
        join_parts("packed block: rows 0 + 5 and columns 1 + 2 are not a block of [5, 3] in panels "
                   "of ",
                   panel, " columns"));
}
