#pragma once

#include "nn/linear.h"

namespace bf {

/// y = W2 gelu(W1 x + b1) + b2, row by row.
/// Shapes: x [rows, D], hidden [rows, F], y [rows, D].
class FeedForward : public Module {
 public:
  FeedForward(Index dim, Index hidden, RandomSource& random);
  Variable forward(const Variable& x) const;

 private:
  Linear& up_;
  Linear& down_;
};

}  // namespace bf
