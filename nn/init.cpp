#include "nn/init.h"

#include <cmath>

namespace bf {
namespace {

Tensor symmetric_uniform(Index out, Index in, double bound, RandomSource& random) {
  return uniform_tensor({out, in}, static_cast<Real>(-bound), static_cast<Real>(bound),
                        random.next());
}

}  // namespace

Tensor xavier_uniform(Index out, Index in, RandomSource& random) {
  return symmetric_uniform(out, in, std::sqrt(6.0 / static_cast<double>(in + out)), random);
}

Tensor kaiming_uniform(Index out, Index in, RandomSource& random) {
  return symmetric_uniform(out, in, std::sqrt(6.0 / static_cast<double>(in)), random);
}

Tensor normal_init(const Shape& shape, double deviation, RandomSource& random) {
  return normal_tensor(shape, 0, static_cast<Real>(deviation), random.next());
}

Tensor sinusoidal_positions(Index length, Index dim) {
  Tensor table({length, dim});
  for (Index t = 0; t < length; ++t) {
    for (Index j = 0; j < dim; ++j) {
      const double exponent = static_cast<double>(j - j % 2) / static_cast<double>(dim);
      const double angle = static_cast<double>(t) / std::pow(10000.0, exponent);
      table.row(t)[j] = static_cast<Real>(j % 2 ? std::cos(angle) : std::sin(angle));
    }
  }
  return table;
}

}  // namespace bf
