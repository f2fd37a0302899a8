#include "autograd/scale.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return scale(in[0], Real(-1.75), Real(0.5)); }

}  // namespace

TEST_CASE("scale: factor and offset reach the value, the factor the gradient") {
  const Variable x(Tensor::from({3}, {1, 0, -2}), true);
  const Variable y = apply({x});
  CHECK(mismatch(y.value(), {-1.25, 0.5, 4}) == "");
  backward(y, Tensor::from({3}, {1, 2, 4}));
  CHECK(mismatch(x.grad(), {-1.75, -3.5, -7}) == "");
}

TEST_CASE("scale: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 1, 3}}) {
    CAPTURE(shape.size());
    CHECK(gradient_fault("scale", apply, {random_input(shape, 1)}) == "");
  }
}
