#include "train/shuffle.h"

#include <limits>
#include <numeric>
#include <utility>

#include "tensor/require.h"

namespace bf {
namespace {

constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15ULL;

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

// Mixing twice keeps (seed, stream + 1) and (seed + 1, stream) apart.
RandomSequence::RandomSequence(std::uint64_t seed, std::uint64_t stream)
    : state_(mix(mix(seed + golden_gamma) + stream * golden_gamma)) {}

std::uint64_t RandomSequence::bits() { return mix(state_ += golden_gamma); }

Index RandomSequence::below(Index limit) {
  require(limit > 0, "below: the limit must be at least 1, got 0");
  // The last, incomplete run of `limit` numbers is drawn again, so no remainder is favoured.
  const std::uint64_t whole = std::numeric_limits<std::uint64_t>::max() / limit * limit;
  std::uint64_t drawn = bits();
  while (drawn >= whole) drawn = bits();
  return static_cast<Index>(drawn % limit);
}

bool RandomSequence::chance(double probability) {
  return static_cast<double>(bits() >> 11) * 0x1.0p-53 < probability;
}

std::vector<Index> seeded_permutation(Index count, std::uint64_t seed, std::uint64_t stream) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  RandomSequence random(seed, stream);
  for (Index left = count; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

}  // namespace bf
