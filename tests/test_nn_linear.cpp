#include <doctest/doctest.h>

#include "nn/linear.h"
#include "tests/module_check.h"

using namespace bf;

TEST_CASE("nn linear: values and gradients are PyTorch's") {
  RandomSource random(1);
  Linear layer(5, 3, random);
  CHECK(golden_fault("linear", layer, [&](const Variable& x) { return layer.forward(x); }) == "");
}

TEST_CASE("nn linear: gradients match central differences, with and without bias" *
          doctest::skip(!real_is_double)) {
  RandomSource random(1);
  const Variable x = random_input({4, 5}, 1);
  for (const bool with_bias : {true, false}) {
    Linear layer(5, 3, random, with_bias);
    CHECK(module_gradient_fault("linear", layer, [&] { return layer.forward(x); }, {{"x", x}}) ==
          "");
  }
}

TEST_CASE("nn linear: parameters, their shapes and which decay") {
  RandomSource random(1);
  Linear layer(5, 3, random);
  const auto parameters = layer.named_parameters();
  REQUIRE(parameters.size() == 2);
  CHECK(parameters[0].name == "weight");
  CHECK(parameters[0].variable->shape() == Shape{3, 5});
  CHECK(parameters[0].options.decay);
  CHECK(parameters[1].name == "bias");
  CHECK(parameters[1].variable->shape() == Shape{3});
  CHECK_FALSE(parameters[1].options.decay);
  CHECK(layer.bias().value().to_vector() == std::vector<Real>(3, 0));
}

TEST_CASE("nn linear: without bias there is one parameter and an undefined bias") {
  RandomSource random(1);
  Linear layer(5, 3, random, false);
  CHECK(parameter_names(layer) == std::vector<std::string>{"weight"});
  CHECK_FALSE(layer.bias().defined());
  const Variable y = layer.forward(Variable(Tensor::zeros({2, 5})));
  CHECK(y.value().to_vector() == std::vector<Real>(6, 0));
}

TEST_CASE("nn linear: rows of another width are refused") {
  RandomSource random(1);
  Linear layer(5, 3, random);
  CHECK(error_text<std::invalid_argument>([&] {
          layer.forward(random_input({2, 4}, 1));
        }) == "linear: x [2, 4] does not fit weight [3, 5] [out, in]");
}
