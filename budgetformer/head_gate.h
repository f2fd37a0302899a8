#pragma once

#include "nn/linear.h"

namespace bf {

/// Head gate g_d: how relevant each head is for a sequence.
///   u_b = Wg z_b + cg
/// Shapes: z [B, Z] (the pooled sequences), scores u [B, H].
/// Parameters: score.weight Wg [H, Z], N(0, 0.02^2), so that at the start the Gumbel noise and not
/// the initial values decide which heads are tried; score.bias cg [H], zero.
class HeadGate : public Module {
 public:
  HeadGate(Index pooled, Index heads, RandomSource& random);
  Variable forward(const Variable& pooled) const;

 private:
  Linear& score_;
};

}  // namespace bf
