#pragma once

#include "tensor/segments.h"
#include "tensor/tensor.h"

namespace bf {

/// One head of one sequence: q, k, v [length, width] with a row stride each.
struct HeadView {
  const Real *q, *k, *v;
  Index stride;         ///< of q, k and v
  Index length, width;  ///< tokens, d
};

/// out = softmax(q k^T / sqrt(d)) v, row by row, on the calling thread.
///   out [length, width] with row stride `out_stride`
///   log_sum_exp[i * lse_stride] = log sum_j exp(q_i k_j / sqrt(d)), if not null
/// Keys are visited in tiles with a running maximum and sum (Milakov and Gimelshein, "Online
/// normalizer calculation for softmax", 2018): scratch memory grows by two values per token.
void attend_head(const HeadView& head, Real* out, Index out_stride, Real* log_sum_exp,
                 Index lse_stride);

/// Where the gradients of one head's q, k and v go, with the stride of q, k and v.
struct HeadGradient {
  Real *dq, *dk, *dv;
};

/// Backward of attend_head, on the calling thread; formulas below. out and log_sum_exp as it wrote
/// them, g = dL/dout with the stride of out.
void attend_head_backward(const HeadView& head, const Real* g, const Real* out, Index out_stride,
                          const Real* log_sum_exp, Index lse_stride, const HeadGradient& d_head);

/// All heads of a packed batch.
///   qkv [tokens, H * 3 * d]: head h has q, k, v of d columns each, from column 3 h d on
///   out [tokens, H * d]      log_sum_exp [tokens, H]
struct Attention {
  Tensor out, log_sum_exp;
};
/// Throws std::invalid_argument when the shape fits neither the heads nor the segments.
Attention attention_forward(const Tensor& qkv, const Segments& segments, Index heads);

/// Gradient with respect to qkv. The probabilities are recomputed tile by tile as
/// p_ij = exp(s_ij - log_sum_exp_i) (Dao et al., "FlashAttention", 2022); with g = dL/dout and
/// delta_i = g_i . out_i:
///   dv = p^T g;  ds = p (g v^T - delta);  dq = ds k / sqrt(d);  dk = ds^T q / sqrt(d)
Tensor attention_backward(const Tensor& qkv, const Attention& saved, const Tensor& g,
                          const Segments& segments, Index heads);

}  // namespace bf
