#include "autograd/sum.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply_sum(const std::vector<Variable>& in) { return sum(in[0]); }
Variable apply_mean(const std::vector<Variable>& in) { return mean(in[0]); }

}  // namespace

TEST_CASE("sum: of all values, and their mean") {
  const Variable x(Tensor::from({2, 2}, {1, 2, 3, -2}), true);
  CHECK(sum(x).item() == 4);
  CHECK(mean(x).item() == 1);
  CHECK(sum(x).shape() == Shape{});
  backward(sum(x), Tensor::scalar(3));
  CHECK(mismatch(x.grad(), {3, 3, 3, 3}, 0) == "");
  backward(mean(x), Tensor::scalar(3));
  CHECK(mismatch(x.grad(), {3.75, 3.75, 3.75, 3.75}) == "");
  CHECK(sum(Variable(Tensor::zeros({0, 3}))).item() == 0);
}

TEST_CASE("sum: many values lose nothing") {
  const Index count = 3000000;  // one running sum in float would be off by percents
  const Variable x(Tensor::full({count}, Real(0.1)));
  const double want = static_cast<double>(count) * static_cast<double>(Real(0.1));
  CHECK(static_cast<double>(sum(x).item()) == doctest::Approx(want).epsilon(1e-5));
  CHECK(static_cast<double>(mean(x).item()) == doctest::Approx(0.1).epsilon(1e-5));
}

TEST_CASE("sum: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 1, 3}}) {
    CAPTURE(shape.size());
    CHECK(gradient_fault("sum", apply_sum, {random_input(shape, 1)}) == "");
    CHECK(gradient_fault("mean", apply_mean, {random_input(shape, 1)}) == "");
  }
}

TEST_CASE("sum: a mean of nothing is refused") {
  CHECK(error_text([] { mean(random_input({0, 3}, 1)); }) == "mean: no values in [0, 3]");
}
