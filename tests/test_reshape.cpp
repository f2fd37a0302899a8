#include "autograd/reshape.h"

#include <doctest/doctest.h>

#include "autograd/multiply.h"
#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return reshape(in[0], {5, 3}); }

}  // namespace

TEST_CASE("reshape: is a view, and the gradient comes back under the old shape") {
  const Variable x(Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6}), true);
  const Variable y = reshape(x, {3, 2});
  CHECK(y.value().data() == x.value().data());
  backward(y, Tensor::from({3, 2}, {6, 5, 4, 3, 2, 1}));
  CHECK(mismatch(x.grad(), Tensor::from({2, 3}, {6, 5, 4, 3, 2, 1}), 0) == "");
}

TEST_CASE("reshape: gradients of two views of one variable add up") {
  const Variable x(Tensor::from({2}, {3, 5}), true);
  backward(multiply(reshape(x, {1, 2}), reshape(x, {1, 2})), Tensor::full({1, 2}, 1));
  CHECK(mismatch(x.grad(), {6, 10}, 0) == "");
}

TEST_CASE("reshape: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{15}, Shape{3, 5}, Shape{1, 15, 1}}) {
    CAPTURE(shape.rank());
    CHECK(gradient_fault("reshape", apply, {random_input(shape, 1)}) == "");
  }
}

TEST_CASE("reshape: sizes that differ are named") {
  CHECK(error_text([] {
          reshape(random_input({4, 6}, 1), {5, 5});
        }) == "reshape: cannot view [4, 6] (24 elements) as [5, 5] (25 elements)");
}
