#include "tensor/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tensor/parallel.h"
#include "tensor/require.h"

namespace bf {
namespace {

constexpr double unit = 1.0 / (1 << 24);
constexpr Index block = 4096;

template <typename Draw>
Tensor drawn(const Shape& shape, Draw draw) {
  Tensor result(shape);
  parallel_for(result.size(), block, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) result[i] = static_cast<Real>(draw(i));
  });
  return result;
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = multiplier0 * counter[0], p1 = multiplier1 * counter[2];
    counter = {
        static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
        static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key = {key[0] + weyl0, key[1] + weyl1};
  }
  return counter;
}

std::uint32_t RandomStream::word(Index element) const {
  const std::uint64_t position = element / 4;
  return philox(
      {static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(position >> 32),
       static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)})[element % 4];
}

double RandomStream::uniform(Index element) const { return ((word(element) >> 8) + 0.5) * unit; }

double RandomStream::normal(Index element) const {
  const double radius = std::sqrt(-2 * std::log(uniform(2 * element)));
  return radius * std::cos(2 * std::numbers::pi * uniform(2 * element + 1));
}

double RandomStream::gumbel(Index element) const { return gumbel_from_uniform(uniform(element)); }

double gumbel_from_uniform(double u) { return -std::log(-std::log(std::clamp(u, unit, 1 - unit))); }

Tensor uniform_tensor(const Shape& shape, Real low, Real high, RandomStream stream) {
  return drawn(shape, [=](Index i) { return low + (high - low) * stream.uniform(i); });
}

Tensor normal_tensor(const Shape& shape, Real mean, Real deviation, RandomStream stream) {
  return drawn(shape, [=](Index i) { return mean + deviation * stream.normal(i); });
}

Tensor gumbel_tensor(const Shape& shape, RandomStream stream) {
  return drawn(shape, [=](Index i) { return stream.gumbel(i); });
}

RandomStream RandomSource::next() {
  constexpr std::uint64_t most_uses = std::uint64_t{1} << 20;
  require_state(use_ < most_uses, "random: more than ", most_uses, " uses in step ", step_);
  return {seed_, step_ * most_uses + use_++};
}

}  // namespace bf
