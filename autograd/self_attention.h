#pragma once

#include "autograd/tape.h"
#include "tensor/segments.h"

namespace bf {

/// Scaled dot-product attention of every head inside every sequence of a packed batch
/// (Vaswani et al., 2017, equation 1): out = softmax(q k^T / sqrt(d)) v.
///   qkv [tokens, H * 3 * d]: head h has q, k, v of d columns each, from column 3 h d on
///   out [tokens, H * d]
/// Backward recomputes the probabilities from the log-sum-exp; see tensor/attention.h.
/// Saved: qkv, out, the log-sum-exp of each row [tokens, H].
/// Throws std::invalid_argument when the shapes do not fit.
Variable self_attention(const Variable& qkv, const Segments& segments, Index heads);

}  // namespace bf
