#include "autograd/multiply.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return multiply(in[0], in[1]); }

}  // namespace

TEST_CASE("multiply: each input's gradient is the other one's value") {
  const Variable a(Tensor::from({3}, {1, 0, -2}), true), b(Tensor::from({3}, {4, 5, 6}), true);
  const Variable y = multiply(a, b);
  CHECK(mismatch(y.value(), {4, 0, -12}) == "");
  backward(y, Tensor::from({3}, {1, 10, 100}));
  CHECK(mismatch(a.grad(), {4, 50, 600}) == "");
  CHECK(mismatch(b.grad(), {1, 0, -200}) == "");
}

TEST_CASE("multiply: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 1, 3}}) {
    CAPTURE(shape.size());
    const Variable a = random_input(shape, 1), b = random_input(shape, 2);
    CHECK(gradient_fault("multiply", apply, {a, b}) == "");
    CHECK(gradient_fault("multiply", apply, {a.detach(), b}) == "");
    CHECK(gradient_fault("multiply", apply, {a, b.detach()}) == "");
  }
  CHECK(gradient_fault("square",
                       [](const std::vector<Variable>& in) { return multiply(in[0], in[0]); },
                       {random_input({5}, 1)}) == "");
}

TEST_CASE("multiply: shapes that differ are named") {
  CHECK(error_text([] {
          multiply(random_input({2, 3}, 1), random_input({3}, 2));
        }) == "multiply: shapes differ: lhs [2, 3], rhs [3]");
}
