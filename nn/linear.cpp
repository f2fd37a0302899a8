#include "nn/linear.h"

#include "autograd/linear.h"
#include "nn/init.h"

namespace bf {

Linear::Linear(Index in, Index out, RandomSource& random, bool with_bias)
    : weight_(add_parameter("weight", xavier_uniform(out, in, random))),
      bias_(with_bias ? add_parameter("bias", Tensor::zeros({out}), {.decay = false}) : none_) {}

Variable Linear::forward(const Variable& x) const { return linear(x, weight_, bias_); }

}  // namespace bf
