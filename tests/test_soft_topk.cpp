#include "autograd/soft_topk.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return soft_topk(in[0], in[1], Real(0.7)); }

Variable row(const std::vector<Real>& scores) {
  return Variable(Tensor::from({1, scores.size()}, scores), true);
}

Variable budget_of(Real heads) { return Variable(Tensor::full({1}, heads), true); }

std::vector<double> topk(const std::vector<Real>& scores, Real budget, Real temperature) {
  return doubles(soft_topk(row(scores), budget_of(budget), temperature).value());
}

double total(const std::vector<double>& p) {
  double sum = 0;
  for (const double value : p) sum += value;
  return sum;
}

}  // namespace

TEST_CASE("soft_topk: the worked example, with theta 0.5") {
  const Variable v = row({2, 1, 0, -1}), budget = budget_of(2);
  const Variable p = soft_topk(v, budget, 1);
  CHECK(mismatch(p.value(), {0.817574, 0.622459, 0.377541, 0.182426}, 1e-6) == "");
  const double first = static_cast<double>(p.value()[0]);
  CHECK(2 - std::log(first / (1 - first)) == doctest::Approx(0.5).epsilon(1e-5));  // theta
  backward(p, Tensor::from({1, 4}, {1, 0, 0, 0}));
  CHECK(mismatch(v.grad(), {0.120193, -0.04562, -0.04562, -0.028953}, 1e-6) == "");
  CHECK(mismatch(budget.grad(), {0.194125}, 1e-6) == "");
  CHECK(total(doubles(v.grad())) == doctest::Approx(0).epsilon(1e-7));
}

TEST_CASE("soft_topk: equal scores share the budget equally") {
  for (const Real budget : {Real(1), Real(2.5), Real(7.9)}) {
    const std::vector<double> want(8, static_cast<double>(budget) / 8);
    CHECK(mismatch(soft_topk(row(std::vector<Real>(8, Real(-3))), budget_of(budget), 1).value(),
                   want) == "");
  }
}

TEST_CASE("soft_topk: extreme scores at a tiny temperature") {
  const std::vector<double> p = topk({10000, -10000, 0, 0}, Real(1.5), Real(1e-3));
  CHECK(p[0] == 1);
  CHECK(p[1] == 0);
  CHECK(p[2] == doctest::Approx(0.25).epsilon(1e-6));
  CHECK(p[2] == p[3]);
  CHECK(total(p) == doctest::Approx(1.5).epsilon(1e-6));
}

TEST_CASE("soft_topk: a budget of all heads or more runs all, with finite gradients") {
  for (const Real budget : {Real(8), Real(9)}) {
    const Variable v = random_input({1, 8}, 1), heads = budget_of(budget);
    const Variable p = soft_topk(v, heads, Real(0.1));
    CHECK(mismatch(p.value(), std::vector<double>(8, 1.0), 0) == "");
    backward(p, Tensor::from({1, 8}, {1, 2, 3, 4, 5, 6, 7, 8}));
    CHECK(mismatch(heads.grad(), {4.5}) == "");
    CHECK(mismatch(v.grad(), std::vector<double>(8, 0.0), 1e-6) == "");
  }
}

TEST_CASE("soft_topk: probabilities sum to the budget, which is kept off the ends") {
  for (const double budget : {0.01, 0.5, 1.0, 3.3, 7.5, 7.99}) {
    for (const Real temperature : {Real(1), Real(0.1), Real(0.01)}) {
      CAPTURE(budget);
      const Variable v = random_input({5, 8}, 1, 2);
      const Variable heads(Tensor::full({5}, static_cast<Real>(budget)));
      const Tensor p = soft_topk(v, heads, temperature).value();
      for (Index b = 0; b < 5; ++b) {
        CHECK(total(doubles(p.rows(b, 1))) == doctest::Approx(budget).epsilon(1e-5));
      }
    }
  }
  CHECK(total(topk({1, 2, 3}, 0, 1)) == doctest::Approx(1e-3).epsilon(1e-4));
  CHECK(total(topk({1, 2, 3}, -5, 1)) == doctest::Approx(1e-3).epsilon(1e-4));
}

TEST_CASE("soft_topk: scores of any size share any budget, with gradients that sum to 0") {
  for (const Real size : {Real(1e-4), Real(1), Real(1e4)}) {
    for (const Real temperature : {Real(1), Real(0.1), Real(1e-3)}) {
      for (const Index heads : std::vector<Index>{1, 2, 4, 8, 65}) {
        CAPTURE(size);
        CAPTURE(heads);
        const double most = static_cast<double>(heads);
        const Variable v(normal_tensor({9, heads}, 0, size, {3, heads}), true);
        const Variable budget(uniform_tensor({9}, 0, static_cast<Real>(heads), {4, heads}), true);
        const Variable p = soft_topk(v, budget, temperature);
        backward(p, normal_tensor({9, heads}, 0, 1, {5, heads}));
        for (Index b = 0; b < 9; ++b) {
          const double wanted = static_cast<double>(budget.value()[b]);
          CHECK(total(doubles(p.value().rows(b, 1))) ==
                doctest::Approx(std::clamp(wanted, 1e-3, most - 1e-3)).epsilon(1e-4));
          const std::vector<double> slopes = doubles(v.grad().rows(b, 1));
          double largest = 0;
          for (const double slope : slopes) largest = std::max(largest, std::abs(slope));
          CHECK(std::isfinite(largest));
          const double floor = 4e-9 / static_cast<double>(temperature);  // of q inside gbar
          CHECK(std::abs(total(slopes)) <= most * (roundings(16) * (1 + largest) + floor));
          CHECK(std::isfinite(budget.grad()[b]));
        }
      }
    }
  }
}

TEST_CASE("soft_topk: at temperature 1e-4 it is the hard selection of the largest scores") {
  Variable v(Tensor({20, 8}));  // each row the values 0, 0.1, ... 0.7 in another order
  for (Index i = 0; i < 160; ++i) {
    v.mutable_value()[i] = static_cast<Real>((i * (2 * (i / 8) + 1) + i / 8) % 8) * Real(0.1);
  }
  for (Index k = 1; k <= 8; ++k) {
    const Variable heads(Tensor::full({20}, static_cast<Real>(k)));
    const Tensor p = soft_topk(v, heads, Real(1e-4)).value();
    for (Index b = 0; b < 20; ++b) {
      const Real* scores = v.value().row(b);
      std::vector<double> hard;
      for (Index h = 0; h < 8; ++h) {
        hard.push_back(std::count_if(scores, scores + 8, [&](Real s) { return s > scores[h]; }) <
                       static_cast<std::ptrdiff_t>(k));
      }
      CHECK(mismatch(p.rows(b, 1), hard, 1e-9) == "");
    }
  }
}

TEST_CASE("soft_topk: one sample and the same sample in a batch have the same bits") {
  const Variable v = random_input({3, 8}, 1);
  const Variable heads(Tensor::from({3}, {1, 8, Real(2.5)}));
  const Tensor batch = soft_topk(v, heads, Real(0.5)).value();
  for (Index b = 0; b < 3; ++b) {
    const Variable alone(v.value().rows(b, 1)), own(heads.value().rows(b, 1));
    CHECK(same_bits(soft_topk(alone, own, Real(0.5)).value(), batch.rows(b, 1)));
  }
}

TEST_CASE("soft_topk: gradient matches central differences" * doctest::skip(!real_is_double)) {
  struct Sizes {
    Index rows, heads;
  };
  for (const Sizes s : {Sizes{1, 2}, Sizes{3, 5}, Sizes{2, 8}, Sizes{1, 19}}) {
    CAPTURE(s.heads);
    Variable budget(
        uniform_tensor({s.rows}, Real(0.3), static_cast<Real>(s.heads) - Real(0.3), {1, 2}), true);
    const Variable scores = random_input({s.rows, s.heads}, 1);
    CHECK(gradient_fault("soft_topk", apply, {scores, budget}) == "");
    CHECK(gradient_fault("soft_topk", apply, {scores.detach(), budget}) == "");
    CHECK(gradient_fault("soft_topk", apply, {scores, budget.detach()}) == "");
  }
}

TEST_CASE("soft_topk: wrong shapes and temperatures are named") {
  const Variable scores = random_input({2, 3}, 1);
  CHECK(error_text([&] { soft_topk(scores, random_input({3}, 2), 1); }) ==
        "soft_topk: budget [3] does not fit scores [2, 3]");
  CHECK(error_text([&] {
          soft_topk(random_input({2, 0}, 1), random_input({2}, 2), 1);
        }) == "soft_topk: budget [2] does not fit scores [2, 0]");
  CHECK(error_text([&] { soft_topk(scores, random_input({2}, 2), 0); }) ==
        "soft_topk: temperature must be positive, got 0");
}
