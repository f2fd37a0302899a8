#pragma once

#include "budgetformer/head_selection.h"
#include "nn/encoder.h"
#include "tensor/flops.h"
#include "tensor/segments.h"

namespace bf {

// Closed forms of the floating-point operations of one forward pass, 2 m n k for each product. They
// equal what executed_flops() counts, and a test says so.

/// Attention core of `heads` heads of width d on a sequence of n tokens: Q K^T and A V, together
/// 4 n^2 d for each head.
std::uint64_t attention_core_flops(Index length, Index heads, Index width);

/// Projections and core of one attention layer that runs `counts[b]` heads on sequence b.
Flops attention_flops(const Segments& segments, const std::vector<Index>& counts, Index dim,
                      Index width);

/// Feed-forward networks of all layers and the classifier's last product.
Flops rest_flops(const TransformerConfig& config, const Segments& segments);

/// A dense classifier: every head of every layer.
Flops dense_flops(const TransformerConfig& config, const Segments& segments);

/// Budget controller and head gate of one layer, for `batch` sequences of pooled width Z.
Flops policy_flops(Index batch, Index pooled, Index dim, Index heads, const BudgetConfig& config);

/// The paper's accounting of one attention layer, as its figures imply (README): projections of all
/// heads are paid for, and only the core is scaled, here by the heads that run. (Reports scale the
/// whole core by the mean of s, as the paper's table does; see Evaluation in train/evaluate.h.)
Flops paper_attention_flops(const Segments& segments, const std::vector<Index>& counts, Index dim,
                            Index heads, Index width);

}  // namespace bf
