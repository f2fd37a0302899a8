#include "autograd/entropy.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return entropy(in[0]); }
Variable apply_cool(const std::vector<Variable>& in) { return entropy(in[0], Real(0.4)); }

Variable row(const std::vector<Real>& scores) {
  return Variable(Tensor::from({1, scores.size()}, scores), true);
}

}  // namespace

TEST_CASE("entropy: value and gradient at a temperature equal PyTorch's") {
  const Golden golden("entropy");
  const Variable x = golden.leaf("x");
  const Variable y = entropy(x, Real(0.5));
  CHECK(mismatch(y.value(), golden.tensor("y")) == "");
  backward(y, golden.tensor("g"));
  CHECK(mismatch(x.grad(), golden.tensor("d_x"), roundings(32)) == "");
}

TEST_CASE("entropy: a saturated row has entropy 0 and gradient 0") {
  const Real most = std::numeric_limits<Real>::max();
  for (const std::vector<Real>& scores :
       {std::vector<Real>{1000, 0, 0}, std::vector<Real>{most, 0, 0},
        std::vector<Real>{0, -most, -most}}) {
    for (const Real temperature : {Real(1), Real(1e-3)}) {
      const Variable x = row(scores);
      const Variable h = entropy(x, temperature);
      CHECK(mismatch(h.value(), {0}, 0) == "");
      backward(h, Tensor::full({1}, 1));
      CHECK(mismatch(x.grad(), {0, 0, 0}, 0) == "");
    }
  }
}

TEST_CASE("entropy: equal scores have ln H and no gradient") {
  const Variable x = row(std::vector<Real>(8, Real(3.5)));
  const Variable h = entropy(x);
  CHECK(mismatch(h.value(), {2.0794415416798357}) == "");
  backward(h, Tensor::full({1}, 1));
  CHECK(mismatch(x.grad(), std::vector<double>(8, 0.0), roundings(4)) == "");
}

TEST_CASE("entropy: of [0.5, 0.25, 0.25] is 1.0397208") {
  const Variable x = row({static_cast<Real>(std::log(2.0)), 0, 0});
  CHECK(mismatch(entropy(x).value(), {1.0397207708399179}) == "");
}

TEST_CASE("entropy: scores of any size lie between 0 and ln H, with a finite gradient") {
  for (const Real size : {Real(1e-3), Real(1), Real(1000), Real(1e30)}) {
    for (const Real temperature : {Real(1), Real(0.1), Real(1e-3)}) {
      for (const Index heads : std::vector<Index>{1, 2, 8, 65}) {
        const Variable x(normal_tensor({7, heads}, 0, size, {3, heads}), true);
        const Variable h = entropy(x, temperature);
        backward(h, Tensor::full({7}, 1));
        for (const double value : doubles(h.value())) {
          CHECK(value >= -roundings(8));
          CHECK(value <= std::log(static_cast<double>(heads)) + roundings(32));
        }
        for (const double slope : doubles(x.grad())) CHECK(std::isfinite(slope));
      }
    }
  }
}

TEST_CASE("entropy: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 7}, Shape{5, 1}, Shape{3, 5}, Shape{2, 19}}) {
    CAPTURE(shape.size());
    CHECK(gradient_fault("entropy", apply, {random_input(shape, 1)}) == "");
    CHECK(gradient_fault("entropy", apply_cool, {random_input(shape, 1)}) == "");
  }
}

TEST_CASE("entropy: wrong shapes and temperatures are named") {
  CHECK(error_text([] { entropy(random_input({3}, 1)); }) ==
        "entropy: expected [rows, cols], got [3]");
  CHECK(error_text([] {
          entropy(random_input({3, 0}, 1));
        }) == "entropy: expected [rows, cols], got [3, 0]");
  CHECK(error_text([] {
          entropy(random_input({3, 2}, 1), 0);
        }) == "entropy: temperature must be positive, got 0");
}
