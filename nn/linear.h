#pragma once

#include "nn/module.h"
#include "tensor/random.h"

namespace bf {

/// y = x W^T + b.
/// Shapes: x [rows, in], y [rows, out]. Parameters: weight [out, in] (Xavier uniform), bias [out]
/// (zero, not decayed).
class Linear : public Module {
 public:
  Linear(Index in, Index out, RandomSource& random, bool with_bias = true);
  Variable forward(const Variable& x) const;

  Variable& weight() { return weight_; }
  const Variable& weight() const { return weight_; }
  /// Undefined for a layer without bias.
  Variable& bias() { return bias_; }
  const Variable& bias() const { return bias_; }

 private:
  Variable& weight_;
  Variable none_;
  Variable& bias_;
};

}  // namespace bf
