#include <doctest/doctest.h>

#include "nn/layer_norm.h"
#include "tests/module_check.h"

using namespace bf;

TEST_CASE("nn layer_norm: values and gradients are PyTorch's") {
  LayerNorm layer(6);
  CHECK(golden_fault("layer_norm", layer, [&](const Variable& x) { return layer.forward(x); }) ==
        "");
}

TEST_CASE("nn layer_norm: gradients match central differences" * doctest::skip(!real_is_double)) {
  LayerNorm layer(5);
  const Variable x = random_input({3, 5}, 1);
  CHECK(module_gradient_fault("layer_norm", layer, [&] { return layer.forward(x); }, {{"x", x}}) ==
        "");
}

TEST_CASE("nn layer_norm: starts as the plain normalisation, and its parameters do not decay") {
  LayerNorm layer(4);
  const auto parameters = layer.named_parameters();
  REQUIRE(parameter_names(layer) == std::vector<std::string>{"gamma", "beta"});
  for (const NamedParameter& parameter : parameters) CHECK_FALSE(parameter.options.decay);
  const Variable y = layer.forward(Variable(Tensor::from({1, 4}, {0, 2, 0, 2})));
  const Tensor want = Tensor::from({1, 4}, {-1, 1, -1, 1});
  CHECK(value_fault("y", y.value(), want, 1e-5) == "");
}

TEST_CASE("nn layer_norm: eps bounds the division of a constant row") {
  LayerNorm layer(2, Real(0.25));
  const Variable y = layer.forward(Variable(Tensor::from({1, 2}, {Real(7), Real(8)})));
  const auto half = static_cast<Real>(0.5 / std::sqrt(0.25 + 0.25));
  CHECK(value_fault("y", y.value(), Tensor::from({1, 2}, {-half, half}), 1e-6) == "");
}

TEST_CASE("nn layer_norm: rows of another width are refused") {
  LayerNorm layer(3);
  CHECK(error_text<std::invalid_argument>([&] {
          layer.forward(random_input({2, 4}, 1));
        }) == "layer_norm: x [2, 4] does not fit gamma [3] and beta [3]");
}
