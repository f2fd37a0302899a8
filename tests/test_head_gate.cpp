#include <doctest/doctest.h>

#include <cmath>

#include "budgetformer/head_gate.h"
#include "tests/policy.h"

using namespace bf;

TEST_CASE("head_gate: scores are Wg z + cg") {
  RandomSource random(3);
  HeadGate gate(2, 3, random);
  const auto parameters = by_name(gate);
  REQUIRE(parameters.size() == 2);
  parameters.at("score.weight")->mutable_value() = Tensor::from({3, 2}, {1, 2, 0, -1, 4, 0});
  parameters.at("score.bias")->mutable_value() = Tensor::from({3}, {0, 5, -1});
  const Variable u = gate.forward(Variable(Tensor::from({2, 2}, {1, 2, -1, 0})));
  CHECK(distance(u.value(), std::vector<double>{5, 3, 3, -1, 5, -5}) < 1e-6);
}

TEST_CASE("head_gate: it starts indifferent: small weights, no bias") {
  RandomSource random(3);
  HeadGate gate(256, 8, random);
  const auto parameters = by_name(gate);
  const Tensor& weight = parameters.at("score.weight")->value();
  CHECK(weight.shape() == Shape{8, 256});
  double squares = 0;
  for (Index i = 0; i < weight.size(); ++i) squares += double{weight[i]} * double{weight[i]};
  CHECK(std::sqrt(squares / static_cast<double>(weight.size())) ==
        doctest::Approx(0.02).epsilon(0.1));
  for (const Real bias : parameters.at("score.bias")->value().to_vector()) CHECK(bias == 0);
}

TEST_CASE("head_gate: gradients" * doctest::skip(!real_is_double)) {
  RandomSource random(3);
  HeadGate gate(6, 4, random);
  disturb(gate, 4);
  std::vector<Variable> inputs = parameters_of(gate);
  const Variable z = random_input({5, 6}, 1);
  inputs.push_back(z);
  CHECK(gradient_fault(
            "head_gate", [&](const std::vector<Variable>&) { return gate.forward(z); }, inputs) ==
        "");
}
