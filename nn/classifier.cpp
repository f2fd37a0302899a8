#include "nn/classifier.h"

#include <vector>

#include "autograd/add.h"
#include "autograd/embedding.h"
#include "autograd/segment_mean.h"
#include "nn/init.h"
#include "tensor/printable.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// Small against the unit rows that LayerNorm makes, as in BERT: the first updates shape them.
constexpr double embedding_deviation = 0.02;

void check(const TransformerConfig& config) {
  require(config.vocabulary > 0, "classifier: the vocabulary is empty");
  require(config.classes > 0, "classifier: the number of classes must be at least 1");
  require(config.dim > 0 && config.layers > 0 && config.max_length > 0,
          "classifier: dim, layers and max_length must be at least 1, got ", config.dim, ", ",
          config.layers, ", ", config.max_length);
  require(config.positions == "learned" || config.positions == "sinusoidal",
          "classifier: positions must be learned or sinusoidal, got \"",
          shortened(config.positions), '"');
  head_width(config.dim, config.heads, config.width);
}

/// 0, 1, ... inside each sequence.
Ids positions_of(const Segments& segments) {
  std::vector<Id> positions;
  positions.reserve(segments.tokens());
  for (Index b = 0; b < segments.count(); ++b) {
    for (Index t = 0; t < segments.length(b); ++t) positions.push_back(static_cast<Id>(t));
  }
  return positions;
}

}  // namespace

TransformerClassifier::TransformerClassifier(const TransformerConfig& config, std::uint64_t seed,
                                             const AttentionFactory& attention)
    : config_(config), random_(seed) {
  check(config);
  tokens_ =
      &add_module<Embedding>("tokens", config.vocabulary, config.dim, embedding_deviation, random_);
  if (config.positions == "learned") {
    positions_ =
        &add_module<Embedding>("positions", config.max_length, config.dim, embedding_deviation,
                               random_, ParameterOptions{.decay = false});
  } else {
    waves_ = sinusoidal_positions(config.max_length, config.dim);
  }
  dropout_ = &add_module<Dropout>("dropout", config.dropout, random_);
  encoder_ = &add_module<Encoder>("layers", config, attention, random_);
  head_ = &add_module<Linear>("head", config.dim, config.classes, random_);
}

TransformerClassifier::TransformerClassifier(const TransformerConfig& config, std::uint64_t seed)
    : TransformerClassifier(config, seed, [&](Index) {
        return std::make_unique<MultiHeadAttention>(config.dim, config.heads, random_,
                                                    config.width);
      }) {}

Variable TransformerClassifier::embed(const Ids& ids, const Segments& segments) const {
  require(ids.size() == segments.tokens(), "classifier: ", ids.size(), " ids do not match ",
          segments.tokens(), " tokens");
  require(segments.longest() <= config_.max_length, "classifier: a sequence of ",
          segments.longest(), " tokens is longer than max_length ", config_.max_length);
  const Ids positions = positions_of(segments);
  const Variable where = positions_ != nullptr ? positions_->forward(positions)
                                               : embedding(Variable(waves_), positions);
  return add(tokens_->forward(ids), where);
}

Variable TransformerClassifier::forward(const Ids& ids, const Segments& segments) {
  const Variable x = dropout_->forward(embed(ids, segments));  // [tokens, D]
  const Variable hidden = encoder_->forward(x, segments);      // [tokens, D]
  return head_->forward(segment_mean(hidden, segments));       // [B, classes]
}

}  // namespace bf
