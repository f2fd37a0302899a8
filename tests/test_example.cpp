#include <doctest/doctest.h>

#include "autograd/gradcheck.h"
#include "tests/example/gated_linear.h"

using namespace bf;

TEST_CASE("softplus: values at zero and at both ends") {
  const Variable y = softplus(Variable(Tensor::from({3}, {0, 1000, -1000})));
  CHECK(y.value()[0] == doctest::Approx(0.6931472));  // ln 2
  CHECK(y.value()[1] == 1000);
  CHECK(y.value()[2] == 0);
}

TEST_CASE("softplus: gradient matches central differences" * doctest::skip(!real_is_double)) {
  const auto report =
      check_gradients("softplus", [](const std::vector<Variable>& in) { return softplus(in[0]); },
                      {random_input({3, 5}, 1)});
  CHECK_MESSAGE(report.ok, report.text);
}

TEST_CASE("gated_linear: names its parameters and passes the gradient check") {
  RandomSource random(1);
  GatedLinear layer(4, 3, random);
  CHECK(layer.named_parameters()[2].name == "gate.weight");
  if (!real_is_double) return;
  const auto report = check_gradients(
      "gated_linear", [&](const std::vector<Variable>& in) { return layer.forward(in[0]); },
      {random_input({5, 4}, 2)});
  CHECK_MESSAGE(report.ok, report.text);
}
