#include <doctest/doctest.h>

#include "nn/feed_forward.h"
#include "tensor/flops.h"
#include "tests/module_check.h"

using namespace bf;

TEST_CASE("nn feed_forward: values and gradients are PyTorch's") {
  RandomSource random(1);
  FeedForward layer(4, 10, random);
  CHECK(golden_fault("feed_forward", layer, [&](const Variable& x) { return layer.forward(x); }) ==
        "");
}

TEST_CASE("nn feed_forward: gradients match central differences" * doctest::skip(!real_is_double)) {
  RandomSource random(1);
  FeedForward layer(3, 7, random);
  const Variable x = random_input({4, 3}, 1);
  CHECK(module_gradient_fault("feed_forward", layer, [&] { return layer.forward(x); },
                              {{"x", x}}) == "");
}

TEST_CASE("nn feed_forward: parameters") {
  RandomSource random(1);
  FeedForward layer(3, 7, random);
  CHECK(parameter_names(layer) ==
        std::vector<std::string>{"up.weight", "up.bias", "down.weight", "down.bias"});
  CHECK(layer.parameter_count() == 3 * 7 + 7 + 7 * 3 + 3);
}

TEST_CASE("nn feed_forward: executes 16 N D^2 operations with a hidden width of 4 D") {
  RandomSource random(1);
  const FeedForward layer(768, 4 * 768, random);
  const NoGrad no_grad;
  const Flops before = executed_flops();
  layer.forward(Variable(Tensor::full({64, 768}, 1)));
  const Flops executed = executed_flops() - before;
  CHECK(executed.linear == 603'979'776);
  CHECK(executed.attention == 0);
}
