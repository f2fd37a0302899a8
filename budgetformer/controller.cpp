#include "budgetformer/controller.h"

#include <algorithm>
#include <cmath>

#include "autograd/add.h"
#include "autograd/reshape.h"
#include "autograd/scale.h"
#include "autograd/sigmoid.h"

namespace bf {

BudgetController::BudgetController(Index pooled, Index dim, RandomSource& random)
    : hidden_(add_module<Linear>("hidden", pooled, std::max<Index>(1, dim / 4), random)),
      output_(add_module<Linear>("output", std::max<Index>(1, dim / 4), 1, random)) {
  output_.weight().mutable_value().fill(0);
  output_.bias().mutable_value().fill(1);
}

BudgetController::Output BudgetController::forward(const Variable& pooled) const {
  // tanh(x) = 2 sigmoid(2 x) - 1
  const Variable hidden = scale(sigmoid(scale(hidden_.forward(pooled), 2)), 2, -1);  // [B, D / 4]
  const Variable logits = output_.forward(hidden);                                   // [B, 1]
  const Variable flat = reshape(logits, {pooled.dim(0)});
  return {flat, sigmoid(flat), hidden};
}

Variable explore_budgets(const Variable& logits, double nu, RandomStream noise) {
  Tensor logistic(logits.shape());
  for (Index b = 0; b < logistic.size(); ++b) {
    const double u = noise.uniform(b);
    logistic[b] = static_cast<Real>(nu * std::log(u / (1 - u)));
  }
  return sigmoid(add(logits, Variable(logistic)));
}

}  // namespace bf
