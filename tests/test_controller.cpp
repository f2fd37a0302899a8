#include <doctest/doctest.h>

#include <cmath>

#include "budgetformer/controller.h"
#include "tests/policy.h"

using namespace bf;

TEST_CASE("controller: every budget starts at sigmoid(1), in the middle of the sigmoid") {
  RandomSource random(3);
  const BudgetController controller(32, 16, random);
  const auto output = controller.forward(Variable(seeded_tensor({5, 32}, 1)));
  CHECK(output.logits.shape() == Shape{5});
  CHECK(output.budgets.shape() == Shape{5});
  for (Index b = 0; b < 5; ++b) {
    CHECK(output.logits.value()[b] == 1);
    CHECK(double{output.budgets.value()[b]} == doctest::Approx(0.7310585786).epsilon(1e-6));
  }
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

TEST_CASE("controller: sigmoid(w2 . relu(W1 z + c1) + c2)") {
  RandomSource random(3);
  BudgetController controller(2, 8, random);
  const auto parameters = by_name(controller);
  parameters.at("hidden.weight")->mutable_value() = Tensor::from({2, 2}, {1, 2, 3, -1});
  parameters.at("hidden.bias")->mutable_value() = Tensor::from({2}, {Real(0.5), -9});
  parameters.at("output.weight")->mutable_value() = Tensor::from({1, 2}, {2, 7});
  parameters.at("output.bias")->mutable_value() = Tensor::from({1}, {-8});
  const auto output = controller.forward(Variable(Tensor::from({2, 2}, {1, 1, -4, 1})));
  // z = [1, 1]: hidden [3.5, 0]; z = [-4, 1]: hidden [0, 0].
  CHECK(distance(output.logits.value(), std::vector<double>{-1, -8}) < 1e-6);
  const std::vector<double> budgets{1 / (1 + std::exp(1.0)), 1 / (1 + std::exp(8.0))};
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
