#pragma once

#include <cstdint>
#include <vector>

#include "tensor/real.h"

namespace bf {

/// A small reproducible random sequence: splitmix64 (Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", 2014), started from a mix of (seed, stream). Two streams of
/// one seed are unrelated. For choosing rows and words; the numbers of training come from Philox.
class RandomSequence {
 public:
  RandomSequence(std::uint64_t seed, std::uint64_t stream);

  /// 64 random bits.
  std::uint64_t bits();
  /// A whole number from 0 to limit - 1, each equally likely. Throws std::invalid_argument if
  /// `limit` is 0.
  Index below(Index limit);
  /// True with the given probability.
  bool chance(double probability);

 private:
  std::uint64_t state_;
};

/// The numbers 0 .. count - 1 in a random order: Fisher-Yates from the last place down, with the
/// sequence (seed, stream). The same on every machine and for every thread count.
std::vector<Index> seeded_permutation(Index count, std::uint64_t seed, std::uint64_t stream);

}  // namespace bf
