#include <doctest/doctest.h>

#include <memory>

#include "autograd/cross_entropy.h"
#include "nn/classifier.h"
#include "nn/init.h"
#include "tensor/allocator.h"
#include "tests/classifier_training.h"
#include "tests/module_check.h"
#include "tests/temp_folder.h"

using namespace bf;

namespace {

TransformerConfig small_config() {
  return {.vocabulary = 11,
          .classes = 3,
          .dim = 8,
          .layers = 2,
          .heads = 4,
          .ffn = 12,
          .max_length = 7,
          .dropout = 0};
}

std::string config_fault(const TransformerConfig& config) {
  return error_text<std::invalid_argument>([&] { TransformerClassifier(config, 1); });
}

}  // namespace

TEST_CASE("nn classifier: logits and gradients are PyTorch's") {
  TransformerClassifier model(small_config(), 1);
  const Ids ids = GoldenFile("layers").ids("classifier.x");
  CHECK(golden_fault("classifier", model,
                     [&](const Variable&) { return model.forward(ids, golden_segments()); }) == "");
}

TEST_CASE("nn classifier: gradients match central differences" * doctest::skip(!real_is_double)) {
  const Ids ids({3, 0, 10, 3, 7});
  const Segments segments({4, 1});
  for (const char* positions : {"learned", "sinusoidal"}) {
    TransformerConfig config = small_config();
    config.positions = positions;
    TransformerClassifier model(config, 1);
    // Rows as small as they start would make a step of the check a large one for LayerNorm.
    for (const NamedParameter& p : model.named_parameters()) {
      if (p.name == "tokens.weight" || p.name == "positions.weight") {
        p.variable->mutable_value() = seeded_tensor(p.variable->shape(), p.name.size());
      }
    }
    CHECK(module_gradient_fault("classifier", model,
                                [&] { return model.forward(ids, segments); }) == "");
  }
}

TEST_CASE("nn classifier: ten training steps have PyTorch's losses") {
  CHECK(golden_training_fault([](Module& model) {
          const auto optimizer = std::make_shared<AdamWSteps>(
              model, AdamWSteps::Options{.rate = 1e-3, .decay = 0.01, .clip = 6});
          return [optimizer] { return optimizer->step(); };
        }) == "");
}

TEST_CASE("nn classifier: a prediction does not depend on the batch around it") {
  TransformerConfig config = small_config();
  config.max_length = 200;
  TransformerClassifier model(config, 1);
  model.train(false);
  const NoGrad no_grad;
  std::vector<Id> text(205);
  for (Index i = 0; i < text.size(); ++i) text[i] = static_cast<Id>(i * i % 11);
  const Tensor both = model.forward(text, Segments({5, 200})).value();
  const Tensor alone =
      model.forward(std::vector<Id>(text.begin(), text.begin() + 5), Segments({5})).value();
  CHECK(value_fault("logits", alone, both.rows(0, 1), 1e-5) == "");
  std::vector<Id> swapped(text.begin() + 5, text.end());
  swapped.insert(swapped.end(), text.begin(), text.begin() + 5);
  const Tensor last = model.forward(swapped, Segments({200, 5})).value();
  CHECK(value_fault("logits", alone, last.rows(1, 1), 1e-5) == "");
}

TEST_CASE("nn classifier: evaluation draws nothing and repeats its bits; training does neither") {
  TransformerConfig config = small_config();
  config.dropout = 0.3;
  TransformerClassifier model(config, 1);
  const Ids ids({1, 2, 3, 4});
  const Segments segments({1, 3});
  model.begin_step(1);
  const Tensor trained = model.forward(ids, segments).value();
  CHECK(model.random().uses() == 1 + 2 * 2);  // the embedding, and two in each layer
  CHECK_FALSE(same_bits(trained, model.forward(ids, segments).value()));
  model.begin_step(1);
  CHECK(same_bits(trained, model.forward(ids, segments).value()));
  model.train(false);
  model.begin_step(2);
  const Tensor evaluated = model.forward(ids, segments).value();
  CHECK(same_bits(evaluated, model.forward(ids, segments).value()));
  CHECK(model.random().uses() == 0);
}

TEST_CASE("nn classifier: the seed alone decides the parameters") {
  TransformerClassifier a(small_config(), 1), b(small_config(), 1), c(small_config(), 2);
  const auto pa = a.named_parameters(), pb = b.named_parameters(), pc = c.named_parameters();
  for (Index i = 0; i < pa.size(); ++i) {
    CHECK(same_bits(pa[i].variable->value(), pb[i].variable->value()));
    const bool drawn = pa[i].name.ends_with("weight");
    CHECK(same_bits(pa[i].variable->value(), pc[i].variable->value()) != drawn);
  }
}

TEST_CASE("nn classifier: names, counts and which parameters decay") {
  TransformerConfig config = small_config();
  TransformerClassifier model(config, 1);
  const auto parameters = model.named_parameters();
  CHECK(parameters.front().name == "tokens.weight");
  CHECK(parameters[1].name == "positions.weight");
  CHECK(parameters[2].name == "layers.0.attention_norm.gamma");
  CHECK(parameters.back().name == "head.bias");
  for (const NamedParameter& p : parameters) {
    CHECK(p.options.decay == (p.name.ends_with("weight") && p.name != "positions.weight"));
  }
  const Index layer = 3 * 8 * 8 + 3 * 8 + 8 * 8 + 8 + 2 * 8 * 12 + 12 + 8 + 4 * 8;
  CHECK(model.parameter_count() == (11 + 7) * 8 + 2 * layer + 2 * 8 + 3 * 8 + 3);
  config.positions = "sinusoidal";
  CHECK(TransformerClassifier(config, 1).parameter_count() == model.parameter_count() - 7 * 8);
}

TEST_CASE("nn classifier: sinusoidal positions are the table of learned ones filled with waves") {
  TransformerConfig config = small_config();
  TransformerClassifier learned(config, 1);
  config.positions = "sinusoidal";
  TransformerClassifier waves(config, 1);
  NamedTensors values;
  for (const NamedParameter& p : learned.named_parameters()) {
    if (p.name == "positions.weight") {
      p.variable->mutable_value() = sinusoidal_positions(7, 8);
    } else {
      values.emplace_back(p.name, p.variable->value());
    }
  }
  load_parameters(waves, {values, {}}, "memory");
  const Ids ids({1, 2, 3, 4});
  const Segments segments({1, 3});
  CHECK(same_bits(learned.forward(ids, segments).value(), waves.forward(ids, segments).value()));
}

TEST_CASE("nn classifier: no sequences give no logits") {
  TransformerClassifier model(small_config(), 1);
  CHECK(model.forward(Ids(), Segments()).shape() == Shape{0, 3});
}

TEST_CASE("nn classifier: a model saved and loaded gives the same bits; another is refused") {
  const TempFolder folder;
  TransformerClassifier saved(small_config(), 1), loaded(small_config(), 2);
  save_parameters(saved, folder.path("model"));
  load_parameters(loaded, load_safetensors(folder.path("model")), "model");
  const Ids ids({1, 2, 3, 4});
  const Segments segments({1, 3});
  CHECK(same_bits(saved.forward(ids, segments).value(), loaded.forward(ids, segments).value()));

  TransformerConfig config = small_config();
  config.heads = 12, config.width = 2;
  TransformerClassifier wider(config, 1);
  CHECK(error_text<std::runtime_error>(
            [&] { load_parameters(wider, load_safetensors(folder.path("model")), "run7"); }) ==
        "load: checkpoint \"run7\" has \"layers.0.attention.qkv.weight\" [24, 8], the model "
        "expects [72, 8]");
}

TEST_CASE("nn classifier: evaluating without gradients keeps tape and memory as they are") {
  TransformerClassifier model(small_config(), 1);
  model.train(false);
  CHECK(tape_length() == 0);  // drops what earlier tests left
  const NoGrad no_grad;
  std::vector<Id> text(12, 3);
  MemoryStats first;
  double total = 0;
  for (Index i = 0; i < 1000; ++i) {
    const Index head = 1 + i % 5;
    total +=
        static_cast<double>(model.forward(text, Segments({head, 12 - head - 5, 5})).value()[0]);
    if (i == 5) first = memory_stats();
  }
  CHECK(tape_length() == 0);
  CHECK(std::isfinite(total));
  CHECK(memory_stats().live_bytes == first.live_bytes);
  CHECK(memory_stats().peak_bytes == first.peak_bytes);
  CHECK(memory_stats().system_allocations == first.system_allocations);
}

TEST_CASE("nn classifier: kept losses do not keep what made them") {
  TransformerClassifier model(small_config(), 1);
  const Ids ids({1, 2, 3, 4});
  const Segments segments({1, 3});
  std::vector<Variable> losses;
  for (int i = 0; i < 20; ++i) {
    losses.push_back(cross_entropy(model.forward(ids, segments), Ids({0, 2})));
    backward(losses.back());
    model.zero_grad();
    CHECK(tape_length() == 0);
  }
  const Index with_losses = memory_stats().live_bytes;
  losses.clear();
  CHECK(with_losses - memory_stats().live_bytes <= 20 * 64);  // 64 bytes is the smallest block
}

TEST_CASE("nn classifier: after three steps a training step asks the system for no memory") {
  TransformerConfig config = small_config();
  config.max_length = 40, config.dropout = 0.1;
  TransformerClassifier model(config, 1);
  AdamWSteps optimizer(model, {.rate = 1e-3, .decay = 0.01, .clip = 1});
  const RandomStream stream{1, 1};
  Index after_three = 0;
  for (std::uint64_t step = 1; step <= 60; ++step) {
    model.begin_step(step);
    std::vector<Index> lengths;  // eight texts of similar lengths, as bucketing makes them
    for (Index b = 0; b < 8; ++b) lengths.push_back(26 + stream.word(8 * step + b) % 15);
    if (step == 1) lengths.assign(8, 40);  // the largest batch there can be
    const Segments segments(lengths);
    const Ids ids(std::vector<Id>(segments.tokens(), static_cast<Id>(step % 11)));
    const Variable logits = model.forward(ids, segments);
    backward(cross_entropy(logits, std::vector<Id>(8, static_cast<Id>(step % 3))));
    optimizer.step();
    if (step == 3) after_three = memory_stats().system_allocations;
  }
  CHECK(memory_stats().system_allocations == after_three);
}

TEST_CASE("nn classifier: options that make no model are refused") {
  const auto with = [](auto change) {
    TransformerConfig config = small_config();
    change(config);
    return config_fault(config);
  };
  using Config = TransformerConfig;
  CHECK(with([](Config& c) { c.vocabulary = 0; }) == "classifier: the vocabulary is empty");
  CHECK(with([](Config& c) { c.classes = 0; }) ==
        "classifier: the number of classes must be at least 1");
  CHECK(with([](Config& c) { c.layers = 0; }) ==
        "classifier: dim, layers and max_length must be at least 1, got 8, 0, 7");
  CHECK(with([](Config& c) { c.positions = "none"; }) ==
        "classifier: positions must be learned or sinusoidal, got \"none\"");
  CHECK(with([](Config& c) { c.heads = 3; }) == "attention: width 8 is not divisible by 3 heads");
  CHECK(with([](Config& c) { c.heads = 0; }) ==
        "attention: the number of heads must be at least 1");
  CHECK(with([](Config& c) { c.dropout = 1; }) == "dropout: probability must be in [0, 1), got 1");
}

TEST_CASE("nn classifier: input that does not fit is refused") {
  TransformerClassifier model(small_config(), 1);
  const auto fault = [&](const Ids& ids, const std::vector<Index>& lengths) {
    return error_text<std::invalid_argument>([&] { model.forward(ids, Segments(lengths)); });
  };
  CHECK(fault(Ids({1, 2, 3}), {2}) == "classifier: 3 ids do not match 2 tokens");
  CHECK(fault(std::vector<Id>(9, 1), {1, 8}) ==
        "classifier: a sequence of 8 tokens is longer than max_length 7");
  CHECK(fault(Ids({1, 11}), {2}) ==
        "embedding: id 11 at position 1 is outside the table of 11 rows");
}
