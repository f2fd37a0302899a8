#include <doctest/doctest.h>

#include <cmath>

#include "autograd/sum.h"
#include "budgetformer/controller.h"
#include "tests/policy.h"

using namespace bf;

TEST_CASE("controller: every budget starts at sigmoid(1), in the middle of the sigmoid") {
  RandomSource random(3);
  BudgetController controller(32, 16, random);
  const auto output = controller.forward(Variable(seeded_tensor({5, 32}, 1)));
  CHECK(output.logits.shape() == Shape{5});
  CHECK(output.budgets.shape() == Shape{5});
  for (Index b = 0; b < 5; ++b) {
    CHECK(output.logits.value()[b] == 1);
    CHECK(double{output.budgets.value()[b]} == doctest::Approx(0.7310585786).epsilon(1e-6));
  }
  // There the slope ds/dz lets a loss on s move it; at z = 10 it would be 4.5e-5.
  backward(sum(output.budgets));
  CHECK(double{by_name(controller).at("output.bias")->grad()[0]} / 5 > 0.15);
}

TEST_CASE("controller: the hidden width is a quarter of the layer's, and at least 1") {
  for (const auto& [dim, hidden] : {std::pair<Index, Index>{16, 4}, {19, 4}, {3, 1}, {1, 1}}) {
    RandomSource random(3);
    BudgetController controller(8, dim, random);
    const auto parameters = by_name(controller);
    CHECK(parameters.size() == 4);
    CHECK(parameters.at("hidden.weight")->shape() == Shape{hidden, 8});
    CHECK(parameters.at("hidden.bias")->shape() == Shape{hidden});
    CHECK(parameters.at("output.weight")->shape() == Shape{1, hidden});
    CHECK(parameters.at("output.bias")->shape() == Shape{1});
  }
}

TEST_CASE("controller: sigmoid(w2 . tanh(W1 z + c1) + c2)") {
  RandomSource random(3);
  BudgetController controller(2, 8, random);
  const auto parameters = by_name(controller);
  parameters.at("hidden.weight")->mutable_value() = Tensor::from({2, 2}, {1, 2, 3, -1});
  parameters.at("hidden.bias")->mutable_value() = Tensor::from({2}, {Real(-2.5), -3});
  parameters.at("output.weight")->mutable_value() = Tensor::from({1, 2}, {2, 7});
  parameters.at("output.bias")->mutable_value() = Tensor::from({1}, {-8});
  const auto output = controller.forward(Variable(Tensor::from({2, 2}, {1, 1, -4, 1})));
  // z = [1, 1]: hidden tanh of [0.5, -1]; z = [-4, 1]: tanh of [-4.5, -16].
  const double first = 2 * std::tanh(0.5) + 7 * std::tanh(-1.0) - 8;
  const double second = 2 * std::tanh(-4.5) + 7 * std::tanh(-16.0) - 8;
  CHECK(distance(output.logits.value(), std::vector<double>{first, second}) < 1e-6);
  const std::vector<double> budgets{1 / (1 + std::exp(-first)), 1 / (1 + std::exp(-second))};
  CHECK(distance(output.budgets.value(), budgets) < 1e-6);
}

TEST_CASE("controller: gradients" * doctest::skip(!real_is_double)) {
  RandomSource random(3);
  BudgetController controller(6, 12, random);
  disturb(controller, 4);
  std::vector<Variable> inputs = parameters_of(controller);
  inputs.push_back(random_input({5, 6}, 1));
  const Variable z = inputs.back();
  CHECK(gradient_fault(
            "controller",
            [&](const std::vector<Variable>&) { return controller.forward(z).budgets; },
            inputs) == "");
}

TEST_CASE("controller: exploration moves the logits by logistic noise, the gradient stays") {
  const Variable logits(Tensor::full({20000}, Real(0.5)), true);
  const RandomStream noise{3, 4};
  const Variable budgets = explore_budgets(logits, 0.6, noise);
  double mean = 0, squares = 0;
  for (Index b = 0; b < 20000; ++b) {
    const double s = static_cast<double>(budgets.value()[b]), z = std::log(s / (1 - s));
    mean += z / 20000;
    squares += (z - 0.5) * (z - 0.5) / 20000;
  }
  CHECK(mean == doctest::Approx(0.5).epsilon(0.05));
  CHECK(squares == doctest::Approx(0.36 * 3.14159265 * 3.14159265 / 3).epsilon(0.05));
  CHECK(double{explore_budgets(logits, 0, noise).value()[0]} == doctest::Approx(0.62245933));
  // ds/dz = s (1 - s) at the noisy s.
  backward(sum(budgets));
  for (const Index b : std::vector<Index>{0, 77}) {
    const double s = static_cast<double>(budgets.value()[b]);
    CHECK(double{logits.grad()[b]} == doctest::Approx(s * (1 - s)).epsilon(1e-5));
  }
}
