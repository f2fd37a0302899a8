#pragma once

#include "nn/embedding.h"
#include "nn/encoder.h"
#include "tensor/ids.h"

namespace bf {

/// Text classifier: token and position embedding, encoder, mean over the tokens, linear.
/// Shapes: ids [tokens] of packed sequences, logits [B, classes].
/// The attention of each layer comes from a factory, so that MultiHeadAttention and
/// BudgetFormer's attention are compared in one and the same model.
class TransformerClassifier : public Module {
 public:
  /// Throws std::invalid_argument when an extent is 0, dim is not divisible by heads, dropout is
  /// outside [0, 1), or the kind of positions is unknown.
  TransformerClassifier(const TransformerConfig& config, std::uint64_t seed,
                        const AttentionFactory& attention);
  /// With multi-head attention in every layer.
  TransformerClassifier(const TransformerConfig& config, std::uint64_t seed);

  /// Throws std::invalid_argument for a sequence longer than max_length, an id outside the
  /// vocabulary, or ids that are not the segments' tokens.
  virtual Variable forward(const Ids& ids, const Segments& segments);
  /// What the first layer reads, before dropout [tokens, D]; throws as forward() does.
  Variable embed(const Ids& ids, const Segments& segments) const;

  /// Tells where the training is; dropout and noise are functions of (seed, step) alone.
  void begin_step(std::uint64_t step) { random_.begin_step(step); }
  const TransformerConfig& config() const { return config_; }
  RandomSource& random() { return random_; }
  Encoder& encoder() { return *encoder_; }

 private:
  TransformerConfig config_;
  RandomSource random_;
  Embedding* tokens_ = nullptr;
  Embedding* positions_ = nullptr;  ///< null when they are sinusoidal
  Tensor waves_;                    ///< [max_length, D] when they are
  Dropout* dropout_ = nullptr;
  Encoder* encoder_ = nullptr;
  Linear* head_ = nullptr;
};

}  // namespace bf
