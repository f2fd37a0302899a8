#include "train/pruning.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "autograd/cross_entropy.h"
#include "autograd/head_scale.h"
#include "autograd/scale.h"
#include "autograd/self_attention.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// MultiHeadAttention with a gate of 1 on each head of each sequence. Parameters have the same
/// names. Shapes: x [tokens, D], y [tokens, D].
class GatedHeads : public AttentionModule {
 public:
  GatedHeads(const TransformerConfig& config, RandomSource& random)
      : heads_(config.heads),
        qkv_(add_module<Linear>("qkv", config.dim,
                                3 * heads_ * head_width(config.dim, heads_, config.width), random)),
        out_(add_module<Linear>("out", heads_ * head_width(config.dim, heads_, config.width),
                                config.dim, random)) {}

  Variable project(const Variable& x) const override { return qkv_.forward(x); }
  Variable forward(const Variable& x, const Segments& segments) override {
    gate_ = Variable(Tensor::full({segments.count(), heads_}, 1), true);  // [B, H]
    const Variable heads = self_attention(project(x), segments, heads_);  // [tokens, H d]
    return out_.forward(head_scale(heads, gate_, segments));              // [tokens, D]
  }

  /// Adds |dL / dgate| of the last forward(), summed over its sequences, to sums [H].
  void add_to(std::vector<double>& sums) const {
    const Tensor& slopes = gate_.grad();
    for (Index b = 0; b < slopes.dim(0); ++b) {
      for (Index h = 0; h < heads_; ++h) {
        sums[h] += std::abs(static_cast<double>(slopes.row(b)[h]));
      }
    }
  }

 private:
  Index heads_;
  Linear& qkv_;
  Linear& out_;
  Variable gate_;
};

void require_mha(const Model& model, const char* what) {
  require(model.budget == nullptr, what, ": the model must be mha, got ", model.config.attention);
}

std::map<std::string, Tensor> values_of(Module& module) {
  std::map<std::string, Tensor> values;
  for (const NamedParameter& p : module.named_parameters()) values[p.name] = p.variable->value();
  return values;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Rows 3 h d to 3 (h + 1) d of the heads kept; the same for a bias, whose rows are its values.
Tensor kept_rows(const Tensor& from, const std::vector<Index>& kept, Index block) {
  const Index row = from.rank() == 2 ? from.dim(1) : 1;
  Tensor to(from.rank() == 2 ? Shape{kept.size() * block, row} : Shape{kept.size() * block});
  for (Index i = 0; i < kept.size(); ++i) {
    std::copy_n(from.data() + kept[i] * block * row, block * row, to.data() + i * block * row);
  }
  return to;
}

/// Columns h d to (h + 1) d of the heads kept.
Tensor kept_columns(const Tensor& from, const std::vector<Index>& kept, Index width) {
  Tensor to({from.dim(0), kept.size() * width});
  for (Index r = 0; r < from.dim(0); ++r) {
    for (Index i = 0; i < kept.size(); ++i) {
      std::copy_n(from.row(r) + kept[i] * width, width, to.row(r) + i * width);
    }
  }
  return to;
}

/// The layer of "layers.2.attention.qkv.weight".
Index layer_of(const std::string& name) {
  return static_cast<Index>(std::stoull(name.substr(std::string("layers.").size())));
}

Tensor cut(const std::string& name, const Tensor& value,
           const std::vector<std::vector<Index>>& kept, Index width) {
  if (ends_with(name, "attention.qkv.weight") || ends_with(name, "attention.qkv.bias")) {
    return kept_rows(value, kept[layer_of(name)], 3 * width);
  }
  if (ends_with(name, "attention.out.weight")) {
    return kept_columns(value, kept[layer_of(name)], width);
  }
  return value.clone();
}

void check_kept(const std::vector<std::vector<Index>>& kept, const TransformerConfig& config) {
  require(kept.size() == config.layers, "keep_heads: ", kept.size(), " lists of heads for ",
          config.layers, " layers");
  for (const std::vector<Index>& heads : kept) {
    require(!heads.empty() && heads.size() == kept.front().size(),
            "keep_heads: every layer must keep the same number of heads, at least 1, got ",
            heads.size(), " and ", kept.front().size());
    for (Index i = 0; i < heads.size(); ++i) {
      require(heads[i] < config.heads, "keep_heads: head ", heads[i], " is outside 0..",
              config.heads - 1);
      require(i == 0 || heads[i] > heads[i - 1], "keep_heads: head ", heads[i],
              " does not come after head ", i == 0 ? 0 : heads[i - 1]);
    }
  }
}

}  // namespace

HeadImportance head_importance(Model& model, const TokenizedSplit& split, Index texts) {
  require_mha(model, "head_importance");
  require(split.size() > 0 && texts > 0, "head_importance: there is no text");
  const TransformerConfig& config = model.config.transformer;
  RandomSource random(1);  // all values are replaced
  std::vector<GatedHeads*> layers;
  TransformerClassifier probe(config, 1, [&](Index) {
    auto attention = std::make_unique<GatedHeads>(config, random);
    layers.push_back(attention.get());
    return attention;
  });
  const std::map<std::string, Tensor> trained = values_of(*model.net);
  for (const NamedParameter& p : probe.named_parameters()) {
    p.variable->mutable_value() = trained.at(p.name).clone();
  }
  probe.train(false);
  probe.freeze();

  HeadImportance sums(config.layers, std::vector<double>(config.heads, 0));
  const Index count = std::min(texts, split.size());
  std::vector<Index> examples(count);
  for (Index i = 0; i < count; ++i) examples[i] = i * split.size() / count;
  constexpr Index batch = 32;
  for (Index first = 0; first < count; first += batch) {
    const Index size = std::min(batch, count - first);
    const Batch packed = make_batch(split, std::span(examples).subspan(first, size));
    const Variable logits = probe.forward(packed.tokens, packed.segments);
    // The sum of the texts' losses, so that a gate's slope is that of its own text's loss.
    backward(scale(cross_entropy(logits, packed.labels, 0), static_cast<Real>(size)));
    for (Index i = 0; i < config.layers; ++i) layers[i]->add_to(sums[i]);
  }
  for (std::vector<double>& layer : sums) {
    for (double& head : layer) head /= static_cast<double>(count);
  }
  return sums;
}

std::vector<std::vector<Index>> most_important(const HeadImportance& importance, Index keep) {
  std::vector<std::vector<Index>> kept;
  for (const std::vector<double>& layer : importance) {
    require(keep >= 1 && keep <= layer.size(), "most_important: cannot keep ", keep, " of ",
            layer.size(), " heads");
    std::vector<Index> order(layer.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return layer[a] > layer[b]; });
    order.resize(keep);
    std::sort(order.begin(), order.end());
    kept.push_back(std::move(order));
  }
  return kept;
}

Model keep_heads(Model& model, const std::vector<std::vector<Index>>& kept) {
  require_mha(model, "keep_heads");
  check_kept(kept, model.config.transformer);
  ModelConfig config = model.config;
  TransformerConfig& shape = config.transformer;
  shape.width = head_width(shape.dim, shape.heads, shape.width);
  shape.heads = kept.front().size();
  Model pruned = make_model(config);
  const std::map<std::string, Tensor> trained = values_of(*model.net);
  for (const NamedParameter& p : pruned.net->named_parameters()) {
    p.variable->mutable_value() = cut(p.name, trained.at(p.name), kept, shape.width);
  }
  return pruned;
}

}  // namespace bf
