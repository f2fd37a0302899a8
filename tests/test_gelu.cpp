#include "autograd/gelu.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return gelu(in[0]); }

}  // namespace

TEST_CASE("gelu: value and gradient equal PyTorch's from -12 to 12") {
  const Golden golden("gelu");
  const Variable x = golden.leaf("input");
  const Variable y = gelu(x);
  CHECK(mismatch(y.value(), golden.tensor("y")) == "");
  backward(y, golden.tensor("g"));
  CHECK(mismatch(x.grad(), golden.tensor("d_input")) == "");
}

TEST_CASE("gelu: far ends are x and 0, and a NaN stays") {
  const Real infinity = std::numeric_limits<Real>::infinity();
  const Variable x(Tensor::from({4}, {100, -100, 0, infinity * 0}), true);
  const Variable y = gelu(x);
  CHECK(y.value()[0] == 100);
  CHECK(y.value()[1] == 0);
  CHECK(y.value()[2] == 0);
  CHECK(std::isnan(y.value()[3]));
  backward(y, Tensor::full({4}, 1));
  CHECK(mismatch(x.grad().rows(0, 3), {1, 0, 0.5}) == "");
}

TEST_CASE("gelu: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 1, 19}}) {
    CAPTURE(shape.size());
    CHECK(gradient_fault("gelu", apply, {random_input(shape, 1, 2)}) == "");
  }
}
