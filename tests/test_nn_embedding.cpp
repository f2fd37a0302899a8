#include <doctest/doctest.h>

#include "nn/embedding.h"
#include "tests/module_check.h"

using namespace bf;

TEST_CASE("nn embedding: values and gradients are PyTorch's") {
  RandomSource random(1);
  Embedding layer(9, 4, 0.02, random);
  const Ids ids = GoldenFile("layers").ids("embedding.x");
  CHECK(golden_fault("embedding", layer, [&](const Variable&) { return layer.forward(ids); }) ==
        "");
}

TEST_CASE("nn embedding: gradients match central differences" * doctest::skip(!real_is_double)) {
  RandomSource random(1);
  Embedding layer(5, 3, 1, random);
  const Ids ids({4, 0, 4, 1});
  CHECK(module_gradient_fault("embedding", layer, [&] { return layer.forward(ids); }) == "");
}

TEST_CASE("nn embedding: one parameter, of the given deviation and options") {
  RandomSource random(3);
  Embedding layer(500, 40, 0.02, random, {.decay = false, .rate = 2});
  const auto parameters = layer.named_parameters();
  REQUIRE(parameter_names(layer) == std::vector<std::string>{"weight"});
  CHECK(parameters[0].variable->shape() == Shape{500, 40});
  CHECK_FALSE(parameters[0].options.decay);
  CHECK(parameters[0].options.rate == 2);
  double squares = 0;
  for (const Real v : layer.weight().value().to_vector()) squares += static_cast<double>(v * v);
  CHECK(std::sqrt(squares / 20000) == doctest::Approx(0.02).epsilon(0.02));
}

TEST_CASE("nn embedding: an id outside the table is named") {
  RandomSource random(1);
  Embedding layer(9, 4, 0.02, random);
  const auto fault = [&](const Ids& ids) {
    return error_text<std::invalid_argument>([&] { layer.forward(ids); });
  };
  CHECK(fault(Ids({0, 8, 9})) == "embedding: id 9 at position 2 is outside the table of 9 rows");
  CHECK(fault(Ids({-1})) == "embedding: id -1 at position 0 is outside the table of 9 rows");
}
