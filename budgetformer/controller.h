#pragma once

#include "nn/linear.h"

namespace bf {

/// Budget controller f_o: which fraction of its heads a layer spends on a sequence.
///   s_b = sigmoid(w2 . relu(W1 z_b + c1) + c2)
/// Shapes: z [B, Z] (the pooled sequences), logits and budgets [B].
/// Parameters: hidden.weight W1 [D / 4, Z], output.weight w2 [1, D / 4] (zero at the start),
/// output.bias c2 (1 at the start, so s starts at 0.73, where the sigmoid still has slope: a
/// saturated budget could not be pulled back).
class BudgetController : public Module {
 public:
  BudgetController(Index pooled, Index dim, RandomSource& random);

  struct Output {
    Variable logits, budgets;
    Variable hidden;  ///< relu(W1 z + c1) [B, D / 4]
  };
  Output forward(const Variable& pooled) const;

 private:
  Linear& hidden_;
  Linear& output_;
};

}  // namespace bf
