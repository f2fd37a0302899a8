#pragma once

#include "nn/module.h"
#include "tensor/random.h"

namespace bf {

/// Dropout in training, the identity in evaluation, which draws nothing.
/// Shapes: x of any shape, y the same. `random` has to outlive the module.
class Dropout : public Module {
 public:
  /// Throws std::invalid_argument unless 0 <= p < 1.
  Dropout(double p, RandomSource& random);
  Variable forward(const Variable& x) const;
  /// x + forward(branch), both [rows, D], in one pass.
  Variable residual(const Variable& x, const Variable& branch) const;

 private:
  double p_;
  RandomSource& random_;
};

}  // namespace bf
