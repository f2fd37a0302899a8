#include <doctest/doctest.h>

#include "nn/encoder.h"
#include "tests/module_check.h"

using namespace bf;

namespace {

TransformerConfig small_config(Index layers = 2) {
  return {.dim = 8, .layers = layers, .heads = 2, .ffn = 20, .dropout = 0};
}

AttentionFactory factory(const TransformerConfig& config, RandomSource& random) {
  return
      [&](Index) { return std::make_unique<MultiHeadAttention>(config.dim, config.heads, random); };
}

/// Attention that does nothing, so that a test can look at the rest.
struct NoAttention : AttentionModule {
  Variable forward(const Variable& x, const Segments&) override {
    return Variable(Tensor::zeros(x.shape()));
  }
  Variable project(const Variable& x) const override { return x; }
};

}  // namespace

TEST_CASE("nn encoder: values and gradients of a layer are PyTorch's") {
  RandomSource random(1);
  const TransformerConfig config = small_config();
  EncoderLayer layer(config, factory(config, random)(0), random);
  CHECK(golden_fault("encoder_layer", layer,
                     [&](const Variable& x) { return layer.forward(x, golden_segments()); }) == "");
}

TEST_CASE("nn encoder: gradients match central differences" * doctest::skip(!real_is_double)) {
  RandomSource random(1);
  const TransformerConfig config{.dim = 4, .layers = 2, .heads = 2, .ffn = 5, .dropout = 0};
  Encoder encoder(config, factory(config, random), random);
  const Variable x = random_input({6, 4}, 1);
  const Segments segments({2, 4});
  CHECK(module_gradient_fault("encoder", encoder, [&] { return encoder.forward(x, segments); },
                              {{"x", x}}) == "");
}

TEST_CASE("nn encoder: the layers one after another, then the last norm") {
  RandomSource random(1);
  const TransformerConfig config = small_config();
  Encoder encoder(config, factory(config, random), random);
  REQUIRE(encoder.layers() == 2);
  const Variable x = random_input({6, 8}, 1);
  const Segments segments({6});
  const Variable middle = encoder.layer(0).forward(x, segments);
  const Variable hidden = encoder.layer(1).forward(middle, segments);
  const Variable y = LayerNorm(8).forward(hidden);  // fresh ones start alike
  CHECK(same_bits(encoder.forward(x, segments).value(), y.value()));
}

TEST_CASE("nn encoder: names") {
  RandomSource random(1);
  const TransformerConfig config = small_config(1);
  Encoder encoder(config, factory(config, random), random);
  CHECK(parameter_names(encoder) ==
        std::vector<std::string>{
            "0.attention_norm.gamma", "0.attention_norm.beta", "0.ffn_norm.gamma",
            "0.ffn_norm.beta", "0.ffn.up.weight", "0.ffn.up.bias", "0.ffn.down.weight",
            "0.ffn.down.bias", "0.attention.qkv.weight", "0.attention.qkv.bias",
            "0.attention.out.weight", "0.attention.out.bias", "norm.gamma", "norm.beta"});
}

TEST_CASE("nn encoder: the factory is told the layer and makes its attention") {
  RandomSource random(1);
  std::vector<Index> asked;
  const AttentionFactory note = [&](Index layer) {
    asked.push_back(layer);
    return std::make_unique<NoAttention>();
  };
  Encoder encoder(small_config(3), note, random);
  CHECK(asked == std::vector<Index>{0, 1, 2});
  CHECK(dynamic_cast<NoAttention*>(&encoder.layer(2).attention()) != nullptr);
  CHECK(error_text<std::invalid_argument>([&] {
          Encoder(
              small_config(), [](Index) { return nullptr; }, random);
        }) == "encoder: the factory made no attention");
}

TEST_CASE("nn encoder: dropout acts on both branches in training and never in evaluation") {
  RandomSource random(1);
  TransformerConfig config = small_config();
  config.dropout = 0.5;
  EncoderLayer layer(config, factory(config, random)(0), random);
  const Variable x = random_input({6, 8}, 1);
  const Segments segments({6});
  random.begin_step(1);
  const Tensor first = layer.forward(x, segments).value();
  CHECK(random.uses() == 2);
  CHECK_FALSE(same_bits(first, layer.forward(x, segments).value()));
  layer.train(false);
  random.begin_step(2);
  const Tensor second = layer.forward(x, segments).value();
  CHECK(same_bits(second, layer.forward(x, segments).value()));
  CHECK(random.uses() == 0);
}

TEST_CASE("nn encoder: with dropped branches the input passes unchanged") {
  RandomSource random(1);
  const TransformerConfig config = small_config();
  EncoderLayer layer(config, std::make_unique<NoAttention>(), random);
  for (const NamedParameter& p : layer.named_parameters()) {
    if (p.name.starts_with("ffn.down")) p.variable->mutable_value().fill(0);
  }
  const Variable x = random_input({6, 8}, 1);
  CHECK(same_bits(layer.forward(x, Segments({6})).value(), x.value()));
}
