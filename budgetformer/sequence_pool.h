#pragma once

#include "budgetformer/config.h"
#include "nn/layer_norm.h"
#include "tensor/segments.h"

namespace bf {

/// One vector for each sequence, for the budget controller and the head gate to look at.
///   mean     z_b = mean of the tokens (the paper's)
///   max      z_b = LN(maximum over the tokens) / sqrt(Z): one telling token among fifteen is not
///            diluted
///   meanmax  z_b = LN([mean | max]) / sqrt(Z)
/// Unit length, because one step of Adam moves every weight by about the learning rate: of a vector
/// with Z entries around 1 it would move the controller's hidden units by Z times as much, and the
/// first hundred steps of a policy, in which all texts ask for more heads, saturated all of them.
/// Shapes: x [tokens, D], z [B, D], or [B, 2 D] for meanmax. Parameters of max and meanmax: norm.*.
class SequencePool : public Module {
 public:
  SequencePool(Index dim, Pool pool);
  Variable forward(const Variable& x, const Segments& segments) const;
  /// Columns of z.
  Index width() const { return width_; }

 private:
  Pool pool_;
  Index width_;
  LayerNorm* norm_ = nullptr;
};

}  // namespace bf
