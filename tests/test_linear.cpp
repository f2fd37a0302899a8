#include "autograd/linear.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) {
  return linear(in[0], in[1], in.size() > 2 ? in[2] : Variable());
}

}  // namespace

TEST_CASE("linear: value and gradients equal PyTorch's") {
  const Golden golden("linear");
  const Variable x = golden.leaf("input"), weight = golden.leaf("weight"),
                 bias = golden.leaf("bias");
  const Variable y = linear(x, weight, bias);
  CHECK(mismatch(y.value(), golden.tensor("y")) == "");
  backward(y, golden.tensor("g"));
  CHECK(mismatch(x.grad(), golden.tensor("d_input")) == "");
  CHECK(mismatch(weight.grad(), golden.tensor("d_weight")) == "");
  CHECK(mismatch(bias.grad(), golden.tensor("d_bias")) == "");
}

TEST_CASE("linear: without a bias nothing is added") {
  const Variable x(Tensor::from({1, 2}, {3, 4})), weight(Tensor::from({2, 2}, {1, 0, 2, 1}));
  CHECK(mismatch(linear(x, weight, {}).value(), {3, 10}) == "");
}

TEST_CASE("linear: gradient matches central differences" * doctest::skip(!real_is_double)) {
  struct Sizes {
    Index rows, in, out;
  };
  for (const Sizes s :
       {Sizes{1, 1, 1}, Sizes{1, 5, 3}, Sizes{4, 1, 2}, Sizes{7, 3, 1}, Sizes{5, 7, 9}}) {
    CAPTURE(s.rows);
    const Variable x = random_input({s.rows, s.in}, 1), weight = random_input({s.out, s.in}, 2);
    CHECK(gradient_fault("linear", apply, {x, weight, random_input({s.out}, 3)}) == "");
    CHECK(gradient_fault("linear", apply, {x, weight}) == "");
    CHECK(gradient_fault("linear", apply, {x.detach(), weight}) == "");
    CHECK(gradient_fault("linear", apply, {x, weight.detach()}) == "");
  }
}

TEST_CASE("linear: shapes that do not fit are named") {
  const Variable x = random_input({4, 3}, 1), weight = random_input({5, 3}, 2);
  CHECK(error_text([&] {
          linear(x, random_input({5, 4}, 3), {});
        }) == "linear: x [4, 3] does not fit weight [5, 4] [out, in]");
  CHECK(error_text([&] { linear(random_input({3}, 1), weight, {}); }) ==
        "linear: x [3] does not fit weight [5, 3] [out, in]");
  CHECK(error_text([&] { linear(x, weight, random_input({3}, 3)); }) ==
        "linear: bias [3] does not match weight [5, 3]");
}
