#include "budgetformer/cost_model.h"

#include <vector>

namespace bf {
namespace {

Flops plus(const Flops& a, const Flops& b) {
  return {a.linear + b.linear, a.attention + b.attention};
}

std::vector<Index> all_heads(const Segments& segments, Index heads) {
  return std::vector<Index>(segments.count(), heads);
}

}  // namespace

std::uint64_t attention_core_flops(Index length, Index heads, Index width) {
  return std::uint64_t{4} * length * length * width * heads;
}

Flops attention_flops(const Segments& segments, const std::vector<Index>& counts, Index dim,
                      Index width) {
  Flops flops;
  for (Index b = 0; b < segments.count(); ++b) {
    const std::uint64_t columns = std::uint64_t{counts[b]} * width;  // of q, k, v and of the output
    flops.linear += 2 * segments.length(b) * dim * columns * (3 + 1);
    flops.attention += attention_core_flops(segments.length(b), counts[b], width);
  }
  return flops;
}

Flops rest_flops(const TransformerConfig& config, const Segments& segments) {
  const std::uint64_t ffn = std::uint64_t{4} * segments.tokens() * config.dim * config.hidden();
  const std::uint64_t head = std::uint64_t{2} * segments.count() * config.dim * config.classes;
  return {config.layers * ffn + head, 0};
}

Flops dense_flops(const TransformerConfig& config, const Segments& segments) {
  const Index width = head_width(config.dim, config.heads, config.width);
  Flops flops = rest_flops(config, segments);
  for (Index layer = 0; layer < config.layers; ++layer) {
    flops = plus(flops,
                 attention_flops(segments, all_heads(segments, config.heads), config.dim, width));
  }
  return flops;
}

Flops policy_flops(Index batch, Index pooled, Index dim, Index heads, const BudgetConfig& config) {
  const std::uint64_t hidden = dim / 4 ? dim / 4 : 1;
  Flops flops;
  if (config.policy != Policy::fixed_budget) flops.linear += 2 * batch * hidden * (pooled + 1);
  if (config.policy != Policy::random_gate) flops.linear += 2 * batch * pooled * heads;
  return flops;
}

Flops paper_attention_flops(const Segments& segments, const std::vector<Index>& counts, Index dim,
                            Index heads, Index width) {
  return {attention_flops(segments, all_heads(segments, heads), dim, width).linear,
          attention_flops(segments, counts, dim, width).attention};
}

}  // namespace bf
