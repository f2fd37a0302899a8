#include "nn/encoder.h"

#include "tensor/require.h"

namespace bf {

namespace {

AttentionModule& checked(const std::unique_ptr<AttentionModule>& attention) {
  require(attention != nullptr, "encoder: the factory made no attention");
  return *attention;
}

}  // namespace

EncoderLayer::EncoderLayer(const TransformerConfig& config,
                           std::unique_ptr<AttentionModule> attention, RandomSource& random)
    : attention_(checked(attention)),
      attention_norm_(add_module<LayerNorm>("attention_norm", config.dim)),
      ffn_norm_(add_module<LayerNorm>("ffn_norm", config.dim)),
      ffn_(add_module<FeedForward>("ffn", config.dim, config.hidden(), random)),
      dropout_(add_module<Dropout>("dropout", config.dropout, random)) {
  adopt("attention", std::move(attention));
}

Variable EncoderLayer::forward(const Variable& x, const Segments& segments) {
  const Variable attended = attention_.forward(attention_norm_.forward(x), segments);
  const Variable middle = dropout_.residual(x, attended);
  return dropout_.residual(middle, ffn_.forward(ffn_norm_.forward(middle)));
}

Encoder::Encoder(const TransformerConfig& config, const AttentionFactory& attention,
                 RandomSource& random) {
  for (Index i = 0; i < config.layers; ++i) {
    layers_.push_back(&add_module<EncoderLayer>(std::to_string(i), config, attention(i), random));
  }
  norm_ = &add_module<LayerNorm>("norm", config.dim);
}

Variable Encoder::forward(const Variable& x, const Segments& segments) {
  Variable hidden = x;
  for (EncoderLayer* layer : layers_) hidden = layer->forward(hidden, segments);
  return norm_->forward(hidden);
}

}  // namespace bf
