#include "train/adamw.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "tests/classifier_training.h"

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
                       std::runtime_error);
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
