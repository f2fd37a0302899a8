#pragma once

#include "nn/linear.h"

namespace bf {

/// Budget controller f_o: which fraction of its heads a layer spends on a sequence.
///   s_b = sigmoid(w2 . tanh(W1 z_b + c1) + c2)
/// tanh and not a rectifier: the price pushes all texts the same way for a long time, and under
/// that push every rectified unit of a layer died, which left one budget for all texts.
/// Shapes: z [B, Z] (the pooled sequences), logits and budgets [B].
/// Parameters: hidden.weight W1 [D / 4, Z], output.weight w2 [1, D / 4] (zero at the start),
/// output.bias c2 (1 at the start, so s starts at 0.73, where the sigmoid still has slope: a
/// saturated budget could not be pulled back. Above 0.5, because training begins with all heads,
/// BudgetConfig::dense, and the price that follows only lowers a budget).
class BudgetController : public Module {
 public:
  BudgetController(Index pooled, Index dim, RandomSource& random);

  struct Output {
    Variable logits, budgets;
    Variable hidden;  ///< tanh(W1 z + c1) [B, D / 4]
  };
  Output forward(const Variable& pooled) const;

 private:
  Linear& hidden_;
  Linear& output_;
};

/// Budgets around the learned ones, for exploration in training:
///   s_b = sigmoid(z_b + nu L_b),  L ~ Logistic(0, 1)
/// which is what Gumbel noise is for a choice between two (Maddison, Mnih and Teh, 2017). A head
/// that is taken away for good shows no gradient that would bring it back: the loss of a text that
/// is answered well is flat. Budgets below the learned one show what fewer heads would cost.
///   logits z, budgets s [B]
Variable explore_budgets(const Variable& logits, double nu, RandomStream noise);

}  // namespace bf
