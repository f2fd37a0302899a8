#include "nn/dropout.h"

#include "autograd/add.h"
#include "autograd/dropout.h"
#include "tensor/require.h"

namespace bf {

Dropout::Dropout(double p, RandomSource& random) : p_(p), random_(random) {
  require(p >= 0 && p < 1, "dropout: probability must be in [0, 1), got ", p);
}

Variable Dropout::forward(const Variable& x) const {
  return training() && p_ > 0 ? dropout(x, p_, random_.next()) : x;
}

Variable Dropout::residual(const Variable& x, const Variable& branch) const {
  return training() && p_ > 0 ? residual_dropout(x, branch, p_, random_.next()) : add(x, branch);
}

}  // namespace bf
