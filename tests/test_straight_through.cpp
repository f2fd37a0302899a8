#include "autograd/straight_through.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

TEST_CASE("straight_through: the value is the hard one, to the bit, the gradient the soft one's") {
  const Tensor hard = Tensor::from({2, 2}, {1, 0, 0, 1});
  const Variable soft = random_input({2, 2}, 1);
  const Variable y = straight_through(hard, soft);
  CHECK(same_bits(y.value(), hard));
  const Tensor g = normal_tensor({2, 2}, 0, 1, {1, 2});
  backward(y, g);
  CHECK(same_bits(soft.grad(), g));
}

TEST_CASE("straight_through: of its own soft value it is the identity" *
          doctest::skip(!real_is_double)) {
  // The gradient is not the derivative of the value; where both are the same function it is.
  for (const Shape& shape : {Shape{1}, Shape{7}, Shape{3, 5}}) {
    CHECK(gradient_fault("straight_through",
                         [](const std::vector<Variable>& in) {
                           return straight_through(in[0].value().clone(), in[0]);
                         },
                         {random_input(shape, 1)}) == "");
  }
}

TEST_CASE("straight_through: shapes that differ are named") {
  CHECK(error_text([] {
          straight_through(Tensor::zeros({2, 3}), random_input({3, 2}, 1));
        }) == "straight_through: hard [2, 3] and soft [3, 2] differ in shape");
}
