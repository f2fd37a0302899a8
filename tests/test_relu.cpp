#include "autograd/relu.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return relu(in[0]); }

/// Values at least 0.05 away from the kink at 0.
Variable away_from_zero(const Shape& shape, std::uint64_t stream) {
  Variable x = random_input(shape, stream);
  for (Index i = 0; i < shape.size(); ++i) {
    Real& value = x.mutable_value()[i];
    value += value < 0 ? Real(-0.05) : Real(0.05);
  }
  return x;
}

}  // namespace

TEST_CASE("relu: negative values and their gradients become 0; 0 counts as negative") {
  const Variable x(Tensor::from({4}, {-1, 0, 2, -0.5}), true);
  const Variable y = relu(x);
  CHECK(mismatch(y.value(), {0, 0, 2, 0}) == "");
  backward(y, Tensor::from({4}, {1, 2, 3, 4}));
  CHECK(mismatch(x.grad(), {0, 0, 3, 0}) == "");
}

TEST_CASE("relu: a NaN is not hidden") {
  const Variable x(Tensor::full({2}, std::numeric_limits<Real>::quiet_NaN()));
  CHECK(std::isnan(relu(x).value()[0]));
}

TEST_CASE("relu: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 1, 3}}) {
    CAPTURE(shape.size());
    CHECK(gradient_fault("relu", apply, {away_from_zero(shape, 1)}) == "");
  }
}
