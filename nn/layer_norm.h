#pragma once

#include "nn/module.h"

namespace bf {

/// Layer normalisation over the last axis (see autograd/layer_norm.h).
/// Shapes: x [rows, D], y [rows, D]. Parameters, not decayed: gamma [D] (one), beta [D] (zero).
class LayerNorm : public Module {
 public:
  explicit LayerNorm(Index dim, Real eps = Real(1e-5));
  Variable forward(const Variable& x) const;

 private:
  Variable& gamma_;
  Variable& beta_;
  Real eps_;
};

}  // namespace bf
