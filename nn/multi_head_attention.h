#pragma once

#include "nn/linear.h"
#include "tensor/segments.h"

namespace bf {

/// What an encoder layer asks of its attention.
class AttentionModule : public Module {
 public:
  /// x [tokens, D], the packed sequences of `segments`; returns [tokens, D].
  virtual Variable forward(const Variable& x, const Segments& segments) = 0;
  /// What the heads are made of, qkv [tokens, 3 H d]: head h has q, k, v from column 3 h d on.
  virtual Variable project(const Variable& x) const = 0;
};

/// Multi-head self-attention (Vaswani et al., 2017):
///   y = sum_h softmax(Q_h K_h^T / sqrt(d)) V_h Wo_h + bo
/// Shapes: x [tokens, D], y [tokens, D].
/// Parameters: qkv.weight [3 H d, D], where head h owns rows 3 h d to 3 (h + 1) d: its Wq, Wk, Wv
/// of d rows each. So a head is one slice, and one product makes all it needs. out.weight [D, H d]
/// has head h in columns h d to (h + 1) d.
class MultiHeadAttention : public AttentionModule {
 public:
  /// `width` is d, the columns of one head; D / H unless a model has fewer heads of the same width.
  /// Throws std::invalid_argument if width is 0 and D is not divisible by H, or H is 0.
  MultiHeadAttention(Index dim, Index heads, RandomSource& random, Index width = 0);
  Variable forward(const Variable& x, const Segments& segments) override;
  Variable project(const Variable& x) const override { return qkv_.forward(x); }

 private:
  Index heads_;
  Linear& qkv_;
  Linear& out_;
};

/// d for D and H, or `width` itself where it is given; throws as above.
Index head_width(Index dim, Index heads, Index width = 0);

/// Xavier uniform as if Wq, Wk and Wv were drawn apart: fan-out is that of one of them.
void initialise_qkv(Linear& qkv, RandomSource& random);

}  // namespace bf
