#include "train/adamw.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "tests/classifier_training.h"
#include "tests/values.h"

using bf::AdamW;
using bf::AdamWConfig;
using bf::Index;
using bf::NamedParameter;
using bf::Real;
using bf::Tensor;
using bf::Variable;

namespace {

void set_gradient(Variable& variable, const std::vector<Real>& values) {
  variable.zero_grad();
  variable.grad_buffer().add(Tensor::from(variable.shape(), values));
}

Variable parameter(const std::vector<Real>& values) {
  return Variable(Tensor::from({values.size()}, values), true);
}

/// The formula, one value at a time, in double.
struct Reference {
  double w, m = 0, v = 0;
  void step(int t, double g, double lr, double decay) {
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double mhat = m / (1 - std::pow(0.9, t)), vhat = v / (1 - std::pow(0.999, t));
    w = w - lr * decay * w - lr * mhat / (std::sqrt(vhat) + 1e-8);
  }
};

}  // namespace

TEST_CASE("adamw: three updates follow the formula") {
  Variable w = parameter({0.5f, -1.25f, 2.0f});
  AdamW optimizer({{"w", &w, {}}}, {.weight_decay = 0.1});
  std::vector<Reference> expected = {{0.5}, {-1.25}, {2.0}};
  const std::vector<std::vector<Real>> gradients = {
      {0.1f, -2.0f, 0.0f}, {-0.3f, 1.0f, 0.5f}, {0.2f, 0.25f, -4.0f}};
  for (int t = 1; t <= 3; ++t) {
    const auto& gradient = gradients[static_cast<Index>(t - 1)];
    set_gradient(w, gradient);
    optimizer.step(0.01);
    for (Index i = 0; i < 3; ++i) {
      expected[i].step(t, static_cast<double>(gradient[i]), 0.01, 0.1);
      CHECK(static_cast<double>(w.value()[i]) == doctest::Approx(expected[i].w).epsilon(1e-6));
    }
  }
  CHECK(optimizer.steps() == 3);
}

TEST_CASE("adamw: two updates with one gradient, worked out by hand") {
  // The first step moves by lr in the direction of the sign, whatever the gradient's size.
  Variable w = parameter({1, -2});
  AdamW optimizer({{"w", &w, {}}}, {.weight_decay = 0.01});
  set_gradient(w, {0.5f, -1});
  optimizer.step(0.1);
  CHECK(w.value()[0] == doctest::Approx(0.899).epsilon(1e-6));
  CHECK(w.value()[1] == doctest::Approx(-1.898).epsilon(1e-6));
  set_gradient(w, {0.5f, -1});
  optimizer.step(0.1);
  CHECK(w.value()[0] == doctest::Approx(0.798101).epsilon(1e-6));
  CHECK(w.value()[1] == doctest::Approx(-1.796102).epsilon(1e-6));
}

TEST_CASE("adamw: no decay where the options say so, and a rate of its own") {
  Variable decayed = parameter({1}), kept = parameter({1}), slow = parameter({1});
  AdamW optimizer({{"decayed", &decayed, {}},
                   {"kept", &kept, {.decay = false}},
                   {"slow", &slow, {.decay = false, .rate = 0.5}}},
                  {.weight_decay = 0.5});
  set_gradient(decayed, {0});
  set_gradient(kept, {0});
  set_gradient(slow, {3});
  optimizer.step(0.1);
  CHECK(decayed.value()[0] == doctest::Approx(0.95));
  CHECK(kept.value()[0] == 1);
  CHECK(slow.value()[0] == doctest::Approx(0.95));
}

TEST_CASE("adamw: clipping scales all gradients by one factor and returns the norm before it") {
  Variable a = parameter({0}), b = parameter({0});
  AdamW optimizer({{"a", &a, {}}, {"b", &b, {}}});
  set_gradient(a, {3});
  set_gradient(b, {4});
  CHECK(optimizer.step(0.1, 1) == doctest::Approx(5));
  CHECK(optimizer.moments()[0].first[0] == doctest::Approx(0.1 * 3 / 5));
  CHECK(optimizer.moments()[1].first[0] == doctest::Approx(0.1 * 4 / 5));

  Variable c = parameter({0});
  AdamW unclipped({{"c", &c, {}}});
  set_gradient(c, {0.5f});
  CHECK(unclipped.step(0.1, 1) == doctest::Approx(0.5));
  CHECK(unclipped.moments()[0].first[0] == doctest::Approx(0.05));
}

TEST_CASE("adamw: frozen parameters and those without a gradient stay; the latter are named") {
  Variable frozen = parameter({1}), unused = parameter({2}), used = parameter({3});
  AdamW optimizer({{"frozen", &frozen, {}}, {"gate.weight", &unused, {}}, {"used", &used, {}}});
  frozen.set_needs_grad(false);
  set_gradient(used, {1});
  optimizer.step(0.1);
  CHECK(frozen.value()[0] == 1);
  CHECK(unused.value()[0] == 2);
  CHECK(used.value()[0] < 3);
  CHECK(optimizer.without_gradient() == std::vector<std::string>{"gate.weight"});
}

TEST_CASE("adamw: a gradient that is not finite is an error before anything changes") {
  Variable a = parameter({1}), b = parameter({1});
  AdamW optimizer({{"a", &a, {}}, {"b", &b, {}}});
  set_gradient(a, {1});
  set_gradient(b, {std::numeric_limits<Real>::quiet_NaN()});
  CHECK_THROWS_WITH_AS(optimizer.step(0.1), "adamw: step 1: the gradient of \"b\" is not finite",
                       bf::NonFinite);
  CHECK(a.value()[0] == 1);
  CHECK(optimizer.steps() == 0);
}

TEST_CASE("adamw: wrong settings are named") {
  const auto make = [](const AdamWConfig& config) { AdamW optimizer({}, config); };
  CHECK_THROWS_WITH_AS(make({.beta1 = 1}), "adamw: betas must be in [0, 1), got 1 and 0.999",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(make({.epsilon = 0}), "adamw: epsilon must be positive, got 0",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(make({.weight_decay = -1}),
                       "adamw: weight decay must not be negative, got -1", std::invalid_argument);
}

TEST_CASE("adamw: ten training steps of a classifier have PyTorch's losses") {
  CHECK(bf::golden_training_fault([](bf::Module& model) {
          const auto optimizer =
              std::make_shared<AdamW>(model.named_parameters(), AdamWConfig{.weight_decay = 0.01});
          return [&model, optimizer] {
            const double norm = optimizer->step(1e-3, 6);
            model.zero_grad();
            return norm;
          };
        }) == "");
}

TEST_CASE("adamw: huge and tiny gradients are clipped exactly, on any number of threads") {
  constexpr Index count = 20000;
  const double most = std::numeric_limits<Real>::max();
  for (const double size : {1e-30, 1e-24, 1e-12, 1.0, 1e12, 1e18, 1e25, most}) {
    CAPTURE(size);
    const Real huge = static_cast<Real>(size);
    const double norm = static_cast<double>(huge) * std::sqrt(2.0 * count), clip = norm / 1e4;
    std::vector<Real> first;
    for (const Index threads : {Index{1}, Index{2}, Index{3}, Index{8}}) {
      const bf::ThreadsGuard guard(threads);
      Variable a(Tensor::zeros({count}), true), b(Tensor::zeros({count}), true);
      AdamW optimizer({{"a", &a, {}}, {"b", &b, {}}});
      a.grad_buffer().add(Tensor::full({count}, huge));
      b.grad_buffer().add(Tensor::full({count}, -huge));
      // Ratios: an Approx of a tiny value takes everything tiny for equal.
      CHECK(optimizer.step(0.125, size > 1 ? 1.0 : clip) / norm ==
            doctest::Approx(1).epsilon(1e-6));
      const double expected = 0.1 * static_cast<double>(huge) * (size > 1 ? 1 / norm : 1e-4);
      const Tensor& m = optimizer.moments()[0].first;
      CHECK(static_cast<double>(m[7]) / expected == doctest::Approx(1).epsilon(1e-6));
      CHECK(optimizer.moments()[1].first[count - 1] == -m[7]);
      CHECK(optimizer.non_finite_state() == "");
      if (first.empty()) first = a.value().to_vector();
      CHECK(a.value().to_vector() == first);
    }
  }
}

TEST_CASE("adamw: without clipping the second moment of a huge gradient stays finite") {
  const Real most = std::numeric_limits<Real>::max();
  Variable w = parameter({1, 1, 1});
  AdamW optimizer({{"w", &w, {.decay = false}}});
  for (int step = 0; step < 3; ++step) {
    set_gradient(w, {most, -Real(1e25), Real(1e18)});
    optimizer.step(0.1);
  }
  CHECK(optimizer.non_finite_state() == "");
  // Equal gradients move by the learning rate at each step, whatever their size.
  CHECK(w.value()[0] == doctest::Approx(0.7).epsilon(1e-5));
  CHECK(w.value()[1] == doctest::Approx(1.3).epsilon(1e-5));
  CHECK(w.value()[2] == doctest::Approx(0.7).epsilon(1e-5));
}

TEST_CASE("adamw: gradients whose squares are no numbers any more move as the formula says") {
  // sqrt(v) is far below epsilon: that v is flushed to zero changes nothing.
  Variable w = parameter({0, 0, 0});
  AdamW optimizer({{"w", &w, {.decay = false}}});
  std::vector<Reference> expected = {{0}, {0}, {0}};
  const std::vector<Real> gradient = {Real(1e-21), -Real(1e-25), Real(1e-30)};
  for (int t = 1; t <= 3; ++t) {
    set_gradient(w, gradient);
    optimizer.step(0.1);
    for (Index i = 0; i < 3; ++i) {
      expected[i].step(t, static_cast<double>(gradient[i]), 0.1, 0);
      CHECK(static_cast<double>(w.value()[i]) / expected[i].w == doctest::Approx(1).epsilon(1e-5));
    }
  }
}

TEST_CASE("adamw: moments that fade away end at zero, not in denormals") {
  Variable w = parameter({1});
  AdamW optimizer({{"w", &w, {.decay = false}}}, {.beta2 = 0.9});
  set_gradient(w, {1});
  optimizer.step(0.1);
  for (int step = 0; step < 1000; ++step) {
    set_gradient(w, {0});
    optimizer.step(0.1);
  }
  // Rounded to the nearest denormal, 0.9 times the smallest is the smallest again, for ever.
  CHECK(optimizer.moments()[0].first[0] == 0);
  CHECK(optimizer.moments()[0].second[0] == 0);
}

TEST_CASE("adamw: what had no gradient or only zeros is told apart") {
  Variable none = parameter({1}), zero = parameter({1, 2}), some = parameter({1, 2});
  AdamW optimizer({{"none", &none, {}}, {"zero", &zero, {}}, {"some", &some, {}}});
  set_gradient(zero, {0, 0});
  set_gradient(some, {0, Real(1e-30)});
  optimizer.step(0.1);
  CHECK(optimizer.without_gradient() == std::vector<std::string>{"none"});
  CHECK(optimizer.unmoved() == std::vector<std::string>{"none", "zero"});
}

TEST_CASE("adamw: a weight or moment that is not finite is named") {
  Variable a = parameter({1, 2}), b = parameter({1, 2});
  AdamW optimizer({{"a", &a, {}}, {"b", &b, {}}});
  CHECK(optimizer.non_finite_state() == "");
  optimizer.moments()[1].second[1] = std::numeric_limits<Real>::infinity();
  CHECK(optimizer.non_finite_state() == "the second moment of \"b\" [2] has inf at element 1");
  optimizer.moments()[1].first[0] = -std::numeric_limits<Real>::infinity();
  CHECK(optimizer.non_finite_state() == "the first moment of \"b\" [2] has -inf at element 0");
  a.mutable_value()[1] = std::numeric_limits<Real>::quiet_NaN();
  CHECK(optimizer.non_finite_state() == "the weight \"a\" [2] has nan at element 1");
}
