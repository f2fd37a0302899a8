#include "autograd/cross_entropy.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable row(const std::vector<Real>& logits) {
  return Variable(Tensor::from({1, logits.size()}, logits), true);
}

TestedFunction loss_for(Index batch, Index classes, double smoothing) {
  std::vector<Id> targets;
  for (Index b = 0; b < batch; ++b) targets.push_back(static_cast<Id>(b * 5 % classes));
  return [targets = Ids(targets), smoothing](const std::vector<Variable>& in) {
    return cross_entropy(in[0], targets, smoothing);
  };
}

}  // namespace

TEST_CASE("cross_entropy: value and gradient equal PyTorch's, with and without smoothing") {
  for (const double smoothing : {0.0, 0.1}) {
    CAPTURE(smoothing);
    const Golden golden(smoothing > 0 ? "cross_entropy_smoothed" : "cross_entropy");
    const Variable logits = golden.leaf("logits");
    const Variable loss = cross_entropy(logits, golden.ids("targets"), smoothing);
    CHECK(mismatch(loss.value(), golden.tensor("y")) == "");
    backward(loss, golden.tensor("g"));
    CHECK(mismatch(logits.grad(), golden.tensor("d_logits")) == "");
  }
}

TEST_CASE("cross_entropy: extreme logits give the exact loss and gradient") {
  const Variable wrong = row({1000, 0, 0});
  const Variable loss = cross_entropy(wrong, Ids({1}));
  CHECK(loss.item() == 1000);
  backward(loss);
  CHECK(mismatch(wrong.grad(), {1, -1, 0}, 0) == "");

  const Variable right = row({10000, -10000});
  const Variable none = cross_entropy(right, Ids({0}));
  CHECK(none.item() == 0);
  backward(none);
  CHECK(mismatch(right.grad(), {0, 0}, 0) == "");

  const Variable low = row({-20000, -20001});
  backward(cross_entropy(low, Ids({0})));  // p - onehot
  CHECK(mismatch(low.grad(), {0.7310585786300049 - 1, 0.2689414213699951}) == "");
}

TEST_CASE("cross_entropy: logits of any size have a loss and a gradient that sums to 0") {
  for (const Real size : {Real(1), Real(100), Real(20000), Real(1e30)}) {
    for (const double smoothing : {0.0, 0.1}) {
      for (Id target = 0; target < 5; ++target) {
        const Tensor values = normal_tensor({1, 5}, 0, size, {3, 4});
        const Variable logits(values, true);
        const Variable loss = cross_entropy(logits, Ids({target}), smoothing);
        CHECK(std::isfinite(loss.item()));
        CHECK(loss.item() >= 0);
        backward(loss);
        double sum = 0;
        for (Index j = 0; j < 5; ++j) {
          const double slope = static_cast<double>(logits.grad()[j]);
          sum += slope;
          CHECK((slope >= -1 && slope <= 1));
        }
        CHECK(std::abs(sum) <= roundings(8));
      }
    }
  }
  // softmax([-20000, -20001]), from the loss of either target.
  for (const auto& [target, p] : {std::pair{0, 0.731058578630005}, {1, 0.268941421369995}}) {
    const double loss =
        static_cast<double>(cross_entropy(row({-20000, -20001}), Ids({target})).item());
    CHECK(std::exp(-loss) == doctest::Approx(p).epsilon(1e-6));
  }
}

TEST_CASE("cross_entropy: the mean over the batch is taken") {
  const Variable logits(Tensor::zeros({4, 2}), true);
  const Variable loss = cross_entropy(logits, Ids({0, 1, 1, 1}));
  CHECK(mismatch(loss.value(), {std::log(2.0)}) == "");
  backward(loss);
  CHECK(mismatch(logits.grad(), {-0.125, 0.125, 0.125, -0.125, 0.125, -0.125, 0.125, -0.125}) ==
        "");
}

TEST_CASE("cross_entropy: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 7}, Shape{5, 1}, Shape{3, 5}, Shape{7, 19}}) {
    for (const double smoothing : {0.0, 0.2}) {
      CAPTURE(shape[1]);
      CHECK(gradient_fault("cross_entropy", loss_for(shape[0], shape[1], smoothing),
                           {random_input(shape, 1)}) == "");
    }
  }
}

TEST_CASE("cross_entropy: wrong targets, shapes and smoothings are named") {
  const Variable logits = random_input({2, 3}, 1);
  CHECK(error_text([&] {
          cross_entropy(logits, Ids({0, 3}));
        }) == "cross_entropy: target 3 at position 1 is outside the 3 classes");
  CHECK(error_text([&] {
          cross_entropy(logits, Ids({-1, 0}));
        }) == "cross_entropy: target -1 at position 0 is outside the 3 classes");
  CHECK(error_text([&] { cross_entropy(logits, Ids({0})); }) ==
        "cross_entropy: targets [1] do not match logits [2, 3]: expected [2]");
  CHECK(error_text([] {
          cross_entropy(random_input({0, 3}, 1), Ids());
        }) == "cross_entropy: expected logits [B, K], got [0, 3]");
  CHECK(error_text([] { cross_entropy(random_input({3}, 1), Ids({0})); }) ==
        "cross_entropy: expected logits [B, K], got [3]");
  CHECK(error_text([&] {
          cross_entropy(logits, Ids({0, 1}), 1);
        }) == "cross_entropy: label smoothing must be in [0, 1), got 1");
}
