#include "autograd/sigmoid.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return sigmoid(in[0]); }

}  // namespace

TEST_CASE("sigmoid: values are right in both tails and never overflow") {
  const std::vector<double> points{-1000, -88, -20, -1, 0, 1, 20, 1000};
  const Variable x(Tensor::from({8}, std::vector<Real>(points.begin(), points.end())), true);
  const Variable y = sigmoid(x);
  for (Index i = 0; i < points.size(); ++i) {
    CAPTURE(points[i]);
    CHECK(static_cast<double>(y.value()[i]) ==
          doctest::Approx(1 / (1 + std::exp(-points[i]))).epsilon(1e-6));
  }
  backward(y, Tensor::full({8}, 1));
  for (const double slope : doubles(x.grad())) CHECK(std::isfinite(slope));
  CHECK(x.grad()[4] == Real(0.25));
}

TEST_CASE("sigmoid: at logit 10 the slope is 4.5e-5, so a saturated budget hardly moves") {
  const Variable x(Tensor::from({2}, {10, -10}), true);
  backward(sigmoid(x), Tensor::full({2}, 1));
  CHECK(mismatch(x.grad(), {4.5396e-5, 4.5396e-5}, 1e-7) == "");
}

TEST_CASE("sigmoid: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 1, 3}}) {
    CAPTURE(shape.size());
    CHECK(gradient_fault("sigmoid", apply, {random_input(shape, 1, 2)}) == "");
  }
}
