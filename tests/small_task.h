#pragma once

#include <algorithm>
#include <limits>

#include "train/fit.h"

namespace bf {

/// A task a tiny model learns in a few dozen steps: class c of 3 has the token 3 + c somewhere
/// among tokens 6 .. 15. Lengths go from 2 to 9.
inline TokenizedSplit small_split(Index examples, std::uint64_t seed) {
  const RandomStream random{seed, 1};
  TokenizedSplit split;
  for (Index i = 0; i < examples; ++i) {
    const Index length = 2 + random.word(32 * i) % 8;
    const Id label = static_cast<Id>(random.word(32 * i + 1) % 3);
    std::vector<Id> tokens;
    for (Index t = 0; t < length; ++t) {
      tokens.push_back(static_cast<Id>(6 + random.word(32 * i + 2 + t) % 10));
    }
    tokens[random.word(32 * i + 20) % length] = 3 + label;
    split.tokens.push_back(std::move(tokens));
    split.labels.push_back(label);
  }
  return split;
}

inline ModelConfig small_model(const std::string& attention, std::uint64_t seed = 1) {
  ModelConfig config;
  config.attention = attention;
  config.seed = seed;
  config.transformer = {.vocabulary = 16,
                        .classes = 3,
                        .dim = 16,
                        .layers = 2,
                        .heads = 4,
                        .ffn = 32,
                        .max_length = 16,
                        .dropout = 0.1};
  return config;
}

inline TrainingConfig small_training(Index epochs) {
  TrainingConfig config;
  config.epochs = epochs;
  config.batch = 8;
  config.learning_rate.peak = 5e-3;
  return config;
}

/// 64 examples of which one, number 40, has token 15.
inline TokenizedSplit split_with_rare_token() {
  TokenizedSplit split = small_split(64, 5);
  for (std::vector<Id>& tokens : split.tokens) std::replace(tokens.begin(), tokens.end(), 15, 14);
  split.tokens[40][0] = 15;
  return split;
}

/// Finite, also after dropout, but the sum of a row of it is not: LayerNorm's mean overflows.
inline constexpr Real most_embedding = std::numeric_limits<Real>::max() / 2;

/// Makes the model's answer NaN for every text with token 15, by finite weights.
inline void poison_rare_token(Model& model) {
  for (const NamedParameter& p : model.net->named_parameters()) {
    if (p.name != "tokens.weight") continue;
    Tensor& table = p.variable->mutable_value();
    std::fill_n(table.row(15), table.row_size(), most_embedding);
  }
}

/// All weights one after another.
inline std::vector<Real> weights_of(Model& model) {
  std::vector<Real> all;
  for (const NamedParameter& p : model.net->named_parameters()) {
    const std::vector<Real> values = p.variable->value().to_vector();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace bf
