#include "nn/layer_norm.h"

#include "autograd/layer_norm.h"

namespace bf {

LayerNorm::LayerNorm(Index dim, Real eps)
    : gamma_(add_parameter("gamma", Tensor::full({dim}, 1), {.decay = false})),
      beta_(add_parameter("beta", Tensor::zeros({dim}), {.decay = false})),
      eps_(eps) {}

Variable LayerNorm::forward(const Variable& x) const { return layer_norm(x, gamma_, beta_, eps_); }

}  // namespace bf
