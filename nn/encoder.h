#pragma once

#include <functional>
#include <string>

#include "nn/dropout.h"
#include "nn/feed_forward.h"
#include "nn/layer_norm.h"
#include "nn/multi_head_attention.h"

namespace bf {

/// Extents and options of a Transformer text classifier.
struct TransformerConfig {
  Index vocabulary = 0;  ///< entries of the token table
  Index classes = 0;
  Index dim = 128;  ///< D
  Index layers = 2;
  Index heads = 8;  ///< H
  Index width = 0;  ///< d, columns of one head; 0 for D / H
  Index ffn = 0;    ///< F, hidden width of the feed-forward network; 0 for 4 D
  Index max_length = 256;
  double dropout = 0.1;
  std::string positions = "learned";  ///< or "sinusoidal"

  Index hidden() const { return ffn ? ffn : 4 * dim; }
};

/// Makes the attention of layer `layer`.
using AttentionFactory = std::function<std::unique_ptr<AttentionModule>(Index layer)>;

/// Pre-LN encoder layer (Xiong et al., "On Layer Normalization in the Transformer Architecture",
/// 2020):  x = x + dropout(attention(LN(x)));  x = x + dropout(ffn(LN(x)))
/// Shapes: x [tokens, D], y [tokens, D].
class EncoderLayer : public Module {
 public:
  EncoderLayer(const TransformerConfig& config, std::unique_ptr<AttentionModule> attention,
               RandomSource& random);
  Variable forward(const Variable& x, const Segments& segments);
  AttentionModule& attention() { return attention_; }
  /// What the attention reads when the layer reads x.
  Variable attention_input(const Variable& x) const { return attention_norm_.forward(x); }

 private:
  AttentionModule& attention_;
  LayerNorm& attention_norm_;
  LayerNorm& ffn_norm_;
  FeedForward& ffn_;
  Dropout& dropout_;
};

/// Layers one after another, then a last LayerNorm. Shapes as in EncoderLayer.
class Encoder : public Module {
 public:
  Encoder(const TransformerConfig& config, const AttentionFactory& attention, RandomSource& random);
  Variable forward(const Variable& x, const Segments& segments);
  EncoderLayer& layer(Index index) { return *layers_[index]; }
  Index layers() const { return layers_.size(); }

 private:
  std::vector<EncoderLayer*> layers_;
  LayerNorm* norm_;
};

}  // namespace bf
