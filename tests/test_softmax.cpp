#include "autograd/softmax.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return softmax(in[0]); }
Variable apply_cool(const std::vector<Variable>& in) { return softmax(in[0], Real(0.3)); }

std::vector<double> softmax_of(const std::vector<Real>& scores, Real temperature = 1) {
  return doubles(softmax(Variable(Tensor::from({1, scores.size()}, scores)), temperature).value());
}

}  // namespace

TEST_CASE("softmax: value and gradient at a temperature equal PyTorch's") {
  const Golden golden("softmax");
  const Variable x = golden.leaf("x");
  const Variable y = softmax(x, Real(0.25));
  CHECK(mismatch(y.value(), golden.tensor("y")) == "");
  backward(y, golden.tensor("g"));
  CHECK(mismatch(x.grad(), golden.tensor("d_x"), roundings(64)) == "");
}

TEST_CASE("softmax: rows sum to one and shifts change nothing") {
  const Variable x = random_input({5, 9}, 1, 3);
  const Tensor y = softmax(x).value();
  for (Index r = 0; r < 5; ++r) {
    double sum = 0;
    for (Index j = 0; j < 9; ++j) sum += static_cast<double>(y.row(r)[j]);
    CHECK(sum == doctest::Approx(1).epsilon(1e-6));
  }
  CHECK(softmax_of({0, 1})[1] == doctest::Approx(0.731059).epsilon(1e-6));
  CHECK(softmax_of({-20000, -20001})[0] == doctest::Approx(0.731059).epsilon(1e-6));
  CHECK(softmax_of({20001, 20000})[0] == doctest::Approx(0.731059).epsilon(1e-6));
  CHECK(softmax_of({7}) == std::vector<double>{1});
}

TEST_CASE("softmax: a gradient of equal numbers is none, whatever the row") {
  const Variable x(Tensor::from({2, 2}, {0, 1, 5, 5}), true);
  const Variable y = softmax(x);
  CHECK(mismatch(y.value(), {0.268941421369995, 0.731058578630005, 0.5, 0.5}) == "");
  backward(y, Tensor::full({2, 2}, 1));
  CHECK(mismatch(x.grad(), {0, 0, 0, 0}, roundings(2)) == "");
  for (const Real size : {Real(1), Real(1e4), Real(1e30)}) {
    for (const Index cols : std::vector<Index>{1, 2, 17, 129}) {
      Variable wide = random_input({5, cols}, 1);
      for (Index i = 0; i < 5 * cols; ++i) wide.mutable_value()[i] *= size;
      const Variable p = softmax(wide);
      backward(p, Tensor::full({5, cols}, 3));
      CHECK(mismatch(wide.grad(), std::vector<double>(5 * cols, 0.0), roundings(24)) == "");
      for (const double share : doubles(p.value())) CHECK((share >= 0 && share <= 1));
    }
  }
}

TEST_CASE("softmax: annealing closes the gap to the hard choice only at its very end") {
  const std::vector<Real> scores{0, Real(-0.05)};
  CHECK(softmax_of(scores, 1)[0] == doctest::Approx(0.512).epsilon(1e-3));
  CHECK(softmax_of(scores, Real(0.1))[0] == doctest::Approx(0.622).epsilon(1e-3));
  CHECK(softmax_of(scores, Real(0.1))[1] == doctest::Approx(0.378).epsilon(1e-3));
  CHECK(softmax_of(scores, Real(0.01))[0] == doctest::Approx(0.993).epsilon(1e-3));
  CHECK(softmax_of(scores, Real(0.01))[1] == doctest::Approx(0.0067).epsilon(1e-2));
}

TEST_CASE("softmax: close scores far from zero keep their difference at a low temperature") {
  // In x / t the two would be 409600 and 409593.75 + a rounding of 1/64 or more.
  CHECK(softmax_of({4096, Real(4095.9375)}, Real(0.0625))[0] ==
        doctest::Approx(0.731058579).epsilon(1e-6));
  CHECK(softmax_of({4096, Real(4095.9375)}, Real(0.01))[0] ==
        doctest::Approx(1 / (1 + std::exp(-6.25))).epsilon(1e-6));
}

TEST_CASE("softmax: a NaN stays visible") {
  CHECK(std::isnan(softmax_of({1, std::numeric_limits<Real>::quiet_NaN(), 2})[0]));
}

TEST_CASE("softmax: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 7}, Shape{5, 1}, Shape{3, 5}, Shape{2, 19}}) {
    CAPTURE(shape.size());
    CHECK(gradient_fault("softmax", apply, {random_input(shape, 1)}) == "");
    CHECK(gradient_fault("softmax", apply_cool, {random_input(shape, 1)}) == "");
  }
}

TEST_CASE("softmax: wrong shapes and temperatures are named") {
  CHECK(error_text([] { softmax(random_input({3}, 1)); }) ==
        "softmax: expected [rows, cols], got [3]");
  CHECK(error_text([] {
          softmax(random_input({3, 0}, 1));
        }) == "softmax: expected [rows, cols], got [3, 0]");
  CHECK(error_text([] {
          softmax(random_input({3, 2}, 1), 0);
        }) == "softmax: temperature must be positive, got 0");
  CHECK(error_text([] {
          softmax(random_input({3, 2}, 1), Real(-0.5));
        }) == "softmax: temperature must be positive, got -0.5");
}
