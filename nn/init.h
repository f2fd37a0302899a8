#pragma once

#include "tensor/random.h"

namespace bf {

/// U(-a, a) with a = sqrt(6 / (in + out)) (Glorot and Bengio, 2010).   weight [out, in]
Tensor xavier_uniform(Index out, Index in, RandomSource& random);
/// U(-a, a) with a = sqrt(6 / in), for layers followed by a rectifier (He et al., 2015).
Tensor kaiming_uniform(Index out, Index in, RandomSource& random);
/// N(0, deviation^2).
Tensor normal_init(const Shape& shape, double deviation, RandomSource& random);
/// Positions as waves (Vaswani et al., 2017, section 3.5): column 2i is sin(t / 10000^(2i / D)),
/// column 2i + 1 the cosine.   [length, D]
Tensor sinusoidal_positions(Index length, Index dim);

}  // namespace bf
