#pragma once

#include "autograd/tape.h"
#include "budgetformer/head_selection.h"
#include "nn/linear.h"
#include "tensor/segments.h"

namespace bf {

/// Multi-head attention that computes the selected heads and nothing else, forward and backward:
/// their slices of the projections, their attention, their slices of the output product, for any
/// mix of head sets in one batch.
///   y_t = bo + sum over the heads h of the sequence b of t of gate_bh Wo_h a_h,t
///   a_h = softmax(q k^T / sqrt(d)) v with q, k, v [n, d] = x_b W_h^T + c_h
///   x [tokens, D]   gates [B, H], or undefined for 1 each   y [tokens, D]
///   qkv (weights W, biases c), out (Wo, bo): the layers of MultiHeadAttention, heads as slices
/// Backward, with g = dL/dy, sums over the heads and sequences that ran:
///   u_h = g Wo_h [n, d]   dL/dgate_bh = sum over t of u_h,t . a_h,t   dL/da_h = gate_bh u_h
///   dL/d(q, k, v) = e_h [n, 3 d] as in tensor/attention.h   dL/dc_h = column sums of e_h
///   dL/dx_b = sum_h e_h W_h   dL/dW_h = sum_b e_h^T x_b   dL/dWo_h = sum_b gate_bh g^T a_h
/// Gates of heads that did not run get the gradient 0.
/// Saved: x, the weights, gates; q, k, v, a and the log-sum-exp of the heads that ran.
///
/// The bits of a sequence's result depend on the sequence and its gates alone, neither on the batch
/// around it nor on the number of threads. Where all its heads run with gate 1, they are those of
/// MultiHeadAttention.
/// Throws std::invalid_argument when selection, gates or x do not fit the segments.
Variable dispatch_heads(const Variable& x, const Segments& segments, const HeadSelection& selection,
                        const Variable& gates, const Linear& qkv, const Linear& out);

}  // namespace bf
