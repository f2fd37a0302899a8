#include <doctest/doctest.h>

#include "nn/multi_head_attention.h"
#include "tensor/flops.h"
#include "tests/module_check.h"

using namespace bf;

TEST_CASE("nn multi_head_attention: values and gradients are PyTorch's") {
  RandomSource random(1);
  MultiHeadAttention layer(12, 3, random);
  CHECK(golden_fault("attention", layer,
                     [&](const Variable& x) { return layer.forward(x, golden_segments()); }) == "");
}

TEST_CASE("nn multi_head_attention: gradients match central differences" *
          doctest::skip(!real_is_double)) {
  RandomSource random(1);
  const Segments segments({3, 1, 4});
  const Variable x = random_input({8, 6}, 1);
  for (const Index width : Sizes{0, 5}) {  // D / H, and one of its own
    MultiHeadAttention layer(6, 2, random, width);
    CHECK(module_gradient_fault("attention", layer, [&] { return layer.forward(x, segments); },
                                {{"x", x}}) == "");
  }
}

TEST_CASE("nn multi_head_attention: parameters, also for fewer heads of the same width") {
  RandomSource random(1);
  MultiHeadAttention layer(12, 3, random), narrow(12, 1, random, 4);
  CHECK(parameter_names(layer) ==
        std::vector<std::string>{"qkv.weight", "qkv.bias", "out.weight", "out.bias"});
  CHECK(layer.parameter_count() == 4 * 12 * 12 + 4 * 12);
  CHECK(narrow.named_parameters()[0].variable->shape() == Shape{12, 12});
  CHECK(narrow.named_parameters()[2].variable->shape() == Shape{12, 4});
}

TEST_CASE("nn multi_head_attention: Wq, Wk and Wv are drawn as three Xavier matrices") {
  RandomSource random(1);
  MultiHeadAttention layer(96, 4, random);
  const double bound = std::sqrt(6.0 / (96 + 96));
  double largest = 0;
  for (const Real w : layer.named_parameters()[0].variable->value().to_vector()) {
    largest = std::max(largest, std::abs(static_cast<double>(w)));
  }
  CHECK(largest <= bound * (1 + epsilon));
  CHECK(largest > 0.999 * bound);
}

TEST_CASE("nn multi_head_attention: a sequence does not see its neighbours in the batch") {
  RandomSource random(1);
  MultiHeadAttention layer(16, 4, random);
  const Tensor x = seeded_tensor({9, 16}, 1);
  const Tensor together = layer.forward(Variable(x), Segments({3, 5, 1})).value();
  const Tensor alone = layer.forward(Variable(x.rows(3, 5)), Segments({5})).value();
  CHECK(value_fault("y", alone, together.rows(3, 5), 1e-6) == "");
}

TEST_CASE("nn multi_head_attention: executes the operations of the closed form") {
  RandomSource random(1);
  MultiHeadAttention layer(768, 8, random);
  const NoGrad no_grad;
  const Flops before = executed_flops();
  layer.forward(Variable(Tensor::full({64, 768}, 1)), Segments({64}));
  const Flops executed = executed_flops() - before;
  CHECK(executed.linear == 226'492'416 + 75'497'472);  // qkv and out
  CHECK(executed.attention == 12'582'912);
  CHECK(executed.total() == 314'572'800);
}

TEST_CASE("nn multi_head_attention: extents that do not fit are refused") {
  RandomSource random(1);
  const auto fault = [&](Index dim, Index heads) {
    return error_text<std::invalid_argument>([&] { MultiHeadAttention(dim, heads, random); });
  };
  CHECK(fault(768, 10) == "attention: width 768 is not divisible by 10 heads");
  CHECK(fault(0, 2) == "attention: width 0 is not divisible by 2 heads");
  CHECK(fault(8, 0) == "attention: the number of heads must be at least 1");
  // 3 H d would be 12 in 64 bits.
  CHECK(error_text<std::invalid_argument>([&] {
          MultiHeadAttention(16, 4, random, 4611686018427387905);
        }) == "attention: 4 heads of 4611686018427387905 columns have more than 1073741824");
  CHECK(head_width(16, 4, Index{1} << 28) == Index{1} << 28);
  CHECK_THROWS_AS(head_width(16, 4, (Index{1} << 28) + 1), std::invalid_argument);
  MultiHeadAttention layer(8, 2, random);
  const Variable x = random_input({5, 8}, 1);
  CHECK(error_text<std::invalid_argument>([&] { layer.forward(x, Segments({4})); }) ==
        "attention: 5 rows do not match 4 tokens");
}
