#include "autograd/matmul.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return matmul(in[0], in[1]); }

}  // namespace

TEST_CASE("matmul: values of a product done by hand") {
  const Variable a(Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6})), b(Tensor::from({3, 1}, {1, 0, -1}));
  const Variable y = matmul(a, b);
  CHECK(y.shape() == Shape{2, 1});
  CHECK(mismatch(y.value(), {-2, -2}) == "");
}

TEST_CASE("matmul: gradient matches central differences" * doctest::skip(!real_is_double)) {
  struct Sizes {
    Index rows, inner, cols;
  };
  for (const Sizes s :
       {Sizes{1, 1, 1}, Sizes{1, 5, 3}, Sizes{4, 1, 2}, Sizes{7, 3, 1}, Sizes{5, 7, 9}}) {
    CAPTURE(s.rows);
    const Variable a = random_input({s.rows, s.inner}, 1), b = random_input({s.inner, s.cols}, 2);
    CHECK(gradient_fault("matmul", apply, {a, b}) == "");
    CHECK(gradient_fault("matmul", apply, {a, b.detach()}) == "");
    CHECK(gradient_fault("matmul", apply, {a.detach(), b}) == "");
  }
  CHECK(gradient_fault("matmul",
                       [](const std::vector<Variable>& in) { return matmul(in[0], in[0]); },
                       {random_input({3, 3}, 3)}) == "");
}

TEST_CASE("matmul: shapes that do not fit are named") {
  CHECK(error_text([] {
          matmul(random_input({32, 64}, 1), random_input({128, 10}, 2));
        }) == "matmul: inner dimensions differ: lhs [32, 64] x rhs [128, 10]");
  CHECK(error_text([] {
          matmul(random_input({3}, 1), random_input({3, 2}, 2));
        }) == "matmul: expected two matrices, got lhs [3] x rhs [3, 2]");
}
