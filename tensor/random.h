#pragma once

#include <array>
#include <cstdint>

#include "tensor/tensor.h"

namespace bf {

/// Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011): four
/// random words for every (key, counter). There is no state to share between threads or to lose in
/// a checkpoint.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// One stream of random numbers: element i is a function of (seed, stream, i) alone.
struct RandomStream {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;

  std::uint32_t word(Index element) const;
  /// Uniform in (0, 1): (w + 0.5) / 2^24 of the top 24 bits; never 0 and never 1.
  double uniform(Index element) const;
  /// Standard normal, by Box-Muller of words 2i and 2i + 1.
  double normal(Index element) const;
  /// Gumbel(0, 1).
  double gumbel(Index element) const;
};

/// -log(-log u), with u kept inside [2^-24, 1 - 2^-24] so that it is finite for any u in [0, 1].
double gumbel_from_uniform(double u);

Tensor uniform_tensor(const Shape& shape, Real low, Real high, RandomStream stream);
Tensor normal_tensor(const Shape& shape, Real mean, Real deviation, RandomStream stream);
Tensor gumbel_tensor(const Shape& shape, RandomStream stream);

/// Hands every use of randomness its own stream. Within a step the n-th use gets (seed, step, n),
/// so a resumed run only needs the step number to draw what an uninterrupted one would have drawn.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : seed_(seed) {}
  /// Step 0 is initialisation; training steps count from 1. Uses start again from 0.
  void begin_step(std::uint64_t step) { step_ = step, use_ = 0; }
  /// Throws std::logic_error after 2^20 uses in one step.
  RandomStream next();
  std::uint64_t seed() const { return seed_; }
  std::uint64_t uses() const { return use_; }

 private:
  std::uint64_t seed_, step_ = 0, use_ = 0;
};

}  // namespace bf
