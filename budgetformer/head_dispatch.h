#pragma once

#include "budgetformer/head_selection.h"
#include "nn/linear.h"
#include "tensor/segments.h"

namespace bf {

/// Multi-head attention at inference that computes the selected heads and nothing else: their
/// slices of the projections, their attention, their slices of the output product, for any mix of
/// head sets in one batch.
///   y_t = bo + sum over the heads h of the sequence of t of weight_bh Wo_h attention_h(x)_t
///   x [tokens, D]   weights [B, H], or undefined for 1 each   y [tokens, D]
///   qkv, out: the layers of MultiHeadAttention, heads as slices of their weights
///
/// For each head, the sequences that chose it are gathered into dense blocks of rows, so every
/// product is an ordinary matrix product on d columns. The result of a head goes to rows of its
/// own; they are added to y in the order of the heads, so no two tasks write one value and the bits
/// do not depend on the thread count.
/// Throws std::invalid_argument when selection, weights or x do not fit the segments.
Tensor dispatch_heads(const Tensor& x, const Segments& segments, const HeadSelection& selection,
                      const Tensor& weights, const Linear& qkv, const Linear& out);

}  // namespace bf
