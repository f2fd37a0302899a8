#include "budgetformer/controller.h"

#include <algorithm>

#include "autograd/relu.h"
#include "autograd/reshape.h"
#include "autograd/sigmoid.h"

namespace bf {

BudgetController::BudgetController(Index pooled, Index dim, RandomSource& random)
    : hidden_(add_module<Linear>("hidden", pooled, std::max<Index>(1, dim / 4), random)),
      output_(add_module<Linear>("output", std::max<Index>(1, dim / 4), 1, random)) {
  output_.weight().mutable_value().fill(0);
  output_.bias().mutable_value().fill(1);
}

BudgetController::Output BudgetController::forward(const Variable& pooled) const {
  const Variable hidden = relu(hidden_.forward(pooled));  // [B, D / 4]
  const Variable logits = output_.forward(hidden);        // [B, 1]
  const Variable flat = reshape(logits, {pooled.dim(0)});
  return {flat, sigmoid(flat), hidden};
}

}  // namespace bf
