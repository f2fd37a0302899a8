#include "nn/embedding.h"

#include "autograd/embedding.h"
#include "nn/init.h"

namespace bf {

Embedding::Embedding(Index rows, Index dim, double deviation, RandomSource& random,
                     ParameterOptions options)
    : weight_(add_parameter("weight", normal_init({rows, dim}, deviation, random), options)) {}

Variable Embedding::forward(const Ids& ids) const { return embedding(weight_, ids); }

}  // namespace bf
