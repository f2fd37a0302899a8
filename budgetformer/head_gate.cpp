#include "budgetformer/head_gate.h"

#include "nn/init.h"

namespace bf {

HeadGate::HeadGate(Index pooled, Index heads, RandomSource& random)
    : score_(add_module<Linear>("score", pooled, heads, random)) {
  score_.weight().mutable_value() = normal_init({heads, pooled}, 0.02, random);
}

Variable HeadGate::forward(const Variable& pooled) const { return score_.forward(pooled); }

}  // namespace bf
