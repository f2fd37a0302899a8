#include "autograd/log_softmax.h"

#include <doctest/doctest.h>

#include "autograd/softmax.h"
#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return log_softmax(in[0]); }

}  // namespace

TEST_CASE("log_softmax: value and gradient equal PyTorch's") {
  const Golden golden("log_softmax");
  const Variable x = golden.leaf("x");
  const Variable y = log_softmax(x);
  CHECK(mismatch(y.value(), golden.tensor("y")) == "");
  backward(y, golden.tensor("g"));
  CHECK(mismatch(x.grad(), golden.tensor("d_x")) == "");
}

TEST_CASE("log_softmax: agrees with softmax, also at a temperature and far from zero") {
  Variable x = random_input({4, 9}, 1, 3);
  for (Index i = 0; i < x.value().size(); ++i) x.mutable_value()[i] += 1000;
  for (const Real temperature : {Real(1), Real(0.25)}) {
    Tensor y = log_softmax_rows(x.value(), temperature);
    for (Index i = 0; i < y.size(); ++i) y[i] = std::exp(y[i]);
    CHECK(mismatch(y, softmax(x, temperature).value(), roundings(64)) == "");
  }
}

TEST_CASE("log_softmax: saturated rows are finite") {
  const Variable x(Tensor::from({2, 2}, {0, -20000, 30000, 0}), true);
  const Variable y = log_softmax(x);
  CHECK(mismatch(y.value(), {0, -20000, 0, -30000}) == "");
  backward(y, Tensor::from({2, 2}, {1, 0, 0, 1}));
  CHECK(mismatch(x.grad(), {0, 0, -1, 1}) == "");
}

TEST_CASE("log_softmax: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 7}, Shape{5, 1}, Shape{3, 5}, Shape{2, 19}}) {
    CAPTURE(shape.size());
    CHECK(gradient_fault("log_softmax", apply, {random_input(shape, 1)}) == "");
  }
}

TEST_CASE("log_softmax: wrong shapes are named") {
  CHECK(error_text([] { log_softmax(random_input({3}, 1)); }) ==
        "log_softmax: expected [rows, cols], got [3]");
  CHECK(error_text([] {
          log_softmax(random_input({3, 0}, 1));
        }) == "log_softmax: expected [rows, cols], got [3, 0]");
}
