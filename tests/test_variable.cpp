#include "autograd/variable.h"

#include <doctest/doctest.h>

#include "autograd/add.h"
#include "autograd/linear.h"
#include "autograd/multiply.h"
#include "autograd/scale.h"
#include "autograd/sum.h"
#include "tensor/gemm.h"
#include "tests/support.h"

using namespace bf;

namespace {

Variable leaf(const std::vector<Real>& values) {
  return Variable(Tensor::from({values.size()}, values), true);
}

}  // namespace

TEST_CASE("variable: copies are one variable, with one value and one gradient") {
  Variable x = leaf({1, 2});
  Variable copy = x;
  backward(sum(scale(copy, 3)));
  CHECK(mismatch(x.grad(), {3, 3}) == "");
  x.mutable_value()[0] = 5;
  CHECK(copy.value()[0] == 5);
  copy.zero_grad();
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("variable: a constant has no gradient and asks for none") {
  Variable x(Tensor::full({2}, 1));
  CHECK_FALSE(x.needs_grad());
  CHECK_FALSE(x.grad().defined());
  x.zero_grad();
  CHECK(error_text<std::logic_error>([&] { x.mutable_grad(); }) ==
        "grad: this variable does not need a gradient");
  CHECK_FALSE(Variable().defined());
}

TEST_CASE("variable: gradients add up over backward calls until zero_grad") {
  Variable x = leaf({1, -2});
  for (int call = 1; call <= 3; ++call) {
    backward(sum(multiply(x, x)));
    CHECK(mismatch(x.grad(), {2.0 * call, -4.0 * call}) == "");
  }
  x.zero_grad();
  backward(sum(x));
  CHECK(mismatch(x.grad(), {1, 1}) == "");
}

TEST_CASE("variable: one gradient handed to two inputs is not shared by what follows") {
  Variable a = leaf({1, 2}), b = leaf({3, 4});
  backward(sum(add(a, b)));  // both hold the tensor that `sum` made
  backward(sum(scale(a, 10)));
  CHECK(mismatch(a.grad(), {11, 11}) == "");
  CHECK(mismatch(b.grad(), {1, 1}) == "");
}

TEST_CASE("variable: a gradient changed in place leaves the other one alone") {
  Variable a = leaf({1, 2}), b = leaf({3, 4});
  backward(sum(add(a, b)));
  Tensor& clipped = a.mutable_grad();
  for (Index i = 0; i < clipped.size(); ++i) clipped[i] *= Real(0.5);
  CHECK(mismatch(a.grad(), {0.5, 0.5}) == "");
  CHECK(mismatch(b.grad(), {1, 1}) == "");
}

TEST_CASE("variable: an addition through add_by leaves the other owner of the gradient alone") {
  Variable a = leaf({1, 2}), b = leaf({3, 4});
  backward(sum(add(a, b)));
  a.grad_buffer().add_by([](Tensor& grad, Real beta) {
    CHECK(beta == 1);
    grad[0] += 5;
  });
  CHECK(mismatch(a.grad(), {6, 1}) == "");
  CHECK(mismatch(b.grad(), {1, 1}) == "");
}

TEST_CASE("variable: the caller's gradient is not taken over") {
  Variable a = leaf({1, 2}), b = leaf({3, 4});
  Tensor g = Tensor::from({2}, {1, 1});
  backward(add(a, b), g);
  g[0] = 99;
  CHECK(mismatch(a.grad(), {1, 1}) == "");
}

TEST_CASE("variable: the first in-place gradient starts from undefined memory with beta 0") {
  Variable x = leaf({1, 2});
  x.grad_buffer().add_by([](Tensor& grad, Real beta) {
    CHECK(beta == 0);
    grad.fill(2);
  });
  CHECK(mismatch(x.grad(), {2, 2}) == "");
}

TEST_CASE("variable: detach keeps the value and cuts the gradient") {
  const Variable x = leaf({3});
  const Variable y = multiply(x, x).detach();
  CHECK(y.item() == 9);
  CHECK_FALSE(y.needs_grad());
  backward(sum(multiply(x, y)));  // d(x * 9)/dx
  CHECK(mismatch(x.grad(), {9}) == "");
}

TEST_CASE("variable: freezing a leaf drops its gradient, and reaches its copies") {
  Variable w = leaf({1, 2});
  const Variable copy = w;
  Variable x = leaf({3, 4});
  backward(sum(multiply(copy, x)));
  w.set_needs_grad(false);
  CHECK_FALSE(copy.needs_grad());
  CHECK_FALSE(copy.grad().defined());
  CHECK_FALSE(multiply(copy, copy).needs_grad());
  backward(sum(multiply(copy, x)));
  CHECK_FALSE(w.grad().defined());
  CHECK(mismatch(x.grad(), {2, 4}) == "");
  w.set_needs_grad(true);
  backward(sum(multiply(copy, x)));
  CHECK(mismatch(copy.grad(), {3, 4}) == "");
}

TEST_CASE("variable: a leaf frozen between forward and backward receives nothing") {
  Variable x = leaf({1, 2});
  const Variable y = sum(scale(x, 2));
  x.set_needs_grad(false);
  backward(y);
  x.set_needs_grad(true);
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("variable: only leaves can be frozen") {
  const Variable x = leaf({1});
  Variable y = scale(x, 2);
  CHECK(error_text<std::logic_error>([&] { y.set_needs_grad(false); }) ==
        "set_needs_grad: only a leaf can be frozen; this is the result of an operation");
}

TEST_CASE("variable: a gradient of another shape is refused with both shapes") {
  const Variable x = leaf({1, 2});
  CHECK(error_text([&] { x.grad_buffer().add(Tensor::zeros({3})); }) ==
        "add_grad: gradient [3] does not have the shape of its variable [2]");
}

TEST_CASE("variable: a packed transpose is kept until the value is opened for writing") {
  Variable weight = random_input({5, 3}, 1);
  const auto packed = weight.packed_transpose();
  CHECK((packed->rows() == 3 && packed->cols() == 5));
  CHECK(weight.packed_transpose() == packed);
  const Variable copy = weight;
  CHECK(copy.packed_transpose() == packed);
  weight.mutable_value()[0] = 7;
  CHECK(weight.packed_transpose() != packed);
  CHECK(weight.packed_transpose()->panels(0, 3, 0)[0] == 7);
  CHECK(weight.detach().packed_transpose() != weight.packed_transpose());
}

TEST_CASE("variable: a product without a tape sees a changed weight") {
  Variable weight = random_input({5, 3}, 1);
  const Variable x = random_input({2, 3}, 2);
  const Tensor taped = linear(x, weight, {}).value();
  const NoGrad no_grad;
  CHECK(same_bits(linear(x, weight, {}).value(), taped));
  weight.mutable_value() = Tensor::zeros({5, 3});
  CHECK(same_bits(linear(x, weight, {}).value(), Tensor::zeros({2, 5})));
}
