#include "autograd/add.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return add(in[0], in[1]); }

}  // namespace

TEST_CASE("add: a row is added to every row, and gets the column sums back") {
  const Variable a(Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6}), true);
  const Variable b(Tensor::from({3}, {10, 20, 30}), true);
  const Variable y = add(a, b);
  CHECK(mismatch(y.value(), {11, 22, 33, 14, 25, 36}) == "");
  backward(y, Tensor::full({2, 3}, 1));
  CHECK(mismatch(b.grad(), {2, 2, 2}) == "");
  CHECK(mismatch(a.grad(), {1, 1, 1, 1, 1, 1}) == "");
}

TEST_CASE("add: values of one shape, of any rank") {
  const Variable a(Tensor::from({1, 2, 2}, {1, 2, 3, 4})),
      b(Tensor::from({1, 2, 2}, {5, 6, 7, -8}));
  CHECK(mismatch(add(a, b).value(), {6, 8, 10, -4}) == "");
  CHECK(add(Variable(Tensor::scalar(1)), Variable(Tensor::scalar(2))).item() == 3);
}

TEST_CASE("add: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 7}, Shape{5, 1}, Shape{3, 5}}) {
    CAPTURE(shape.size());
    const Variable a = random_input(shape, 1), row = random_input({shape[1]}, 2);
    CHECK(gradient_fault("add", apply, {a, random_input(shape, 3)}) == "");
    CHECK(gradient_fault("add", apply, {a, row}) == "");
    CHECK(gradient_fault("add", apply, {a.detach(), row}) == "");
    CHECK(gradient_fault("add", apply, {a, row.detach()}) == "");
  }
}

TEST_CASE("add: shapes that do not broadcast are named") {
  CHECK(error_text([] {
          add(random_input({8, 16}, 1), random_input({8, 15}, 2));
        }) == "add: shapes do not broadcast: lhs [8, 16] and rhs [8, 15]");
  CHECK(error_text([] {
          add(random_input({8, 16}, 1), random_input({8}, 2));
        }) == "add: shapes do not broadcast: lhs [8, 16] and rhs [8]");
  CHECK(error_text([] {
          add(random_input({16}, 1), random_input({8, 16}, 2));
        }) == "add: shapes do not broadcast: lhs [16] and rhs [8, 16]");
}
