// Compiled once per instruction set, as kernels.cpp is.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/random_words.cpp"
#include <hwy/foreach_target.h>
// Highway has to come after foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tensor/random_words.h"

HWY_BEFORE_NAMESPACE();
namespace bf {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // one lane, no wide products

void RandomWords(RandomStream stream, Index first_block, Index blocks, std::uint32_t* words) {
  for (Index i = 0; i < 4 * blocks; ++i) words[i] = stream.word(4 * first_block + i);
}

#else

using Words = hn::ScalableTag<std::uint32_t>;

/// Low and high halves of the 64-bit products of all lanes with one multiplier.
HWY_INLINE void multiply_wide(hn::Vec<Words> a, std::uint32_t multiplier, hn::Vec<Words>& low,
                              hn::Vec<Words>& high) {
  const Words d;
  const hn::Repartition<std::uint64_t, Words> wide;
  const auto b = hn::Set(d, multiplier);
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))), b);
  high = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
  low = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
}

/// philox() of random.h on as many counters at a time as a vector holds.
void RandomWords(RandomStream stream, Index first_block, Index blocks, std::uint32_t* words) {
  const Words d;
  const Index lanes = hn::Lanes(d);
  HWY_ALIGN std::uint32_t counter_low[hn::MaxLanes(d)], counter_high[hn::MaxLanes(d)];
  HWY_ALIGN std::uint32_t buffer[4 * hn::MaxLanes(d)];
  for (Index block = 0; block < blocks; block += lanes) {
    for (Index i = 0; i < lanes; ++i) {
      const std::uint64_t position = first_block + block + i;
      counter_low[i] = static_cast<std::uint32_t>(position);
      counter_high[i] = static_cast<std::uint32_t>(position >> 32);
    }
    auto c0 = hn::Load(d, counter_low), c1 = hn::Load(d, counter_high);
    auto c2 = hn::Set(d, static_cast<std::uint32_t>(stream.stream));
    auto c3 = hn::Set(d, static_cast<std::uint32_t>(stream.stream >> 32));
    auto key0 = static_cast<std::uint32_t>(stream.seed);
    auto key1 = static_cast<std::uint32_t>(stream.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      auto low0 = c0, high0 = c0, low1 = c0, high1 = c0;
      multiply_wide(c0, 0xD2511F53u, low0, high0);
      multiply_wide(c2, 0xCD9E8D57u, low1, high1);
      c0 = hn::Xor(hn::Xor(high1, c1), hn::Set(d, key0));
      c2 = hn::Xor(hn::Xor(high0, c3), hn::Set(d, key1));
      c1 = low1;
      c3 = low0;
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    hn::StoreInterleaved4(c0, c1, c2, c3, d, buffer);
    std::copy_n(buffer, 4 * std::min(lanes, blocks - block), words + 4 * block);
  }
}

#endif

/// out_i = factor x_i where draws_i < threshold, else 0.
HWY_INLINE void Keep(Index n, const Real* x, const std::uint16_t* draws, DropoutRule rule,
                     Real* out) {
  Index i = 0;
#ifndef BF_DOUBLE  // 32-bit draws and values have lanes of one size
  const hn::ScalableTag<Real> values;
  const hn::ScalableTag<std::uint32_t> d;
  const hn::Rebind<std::uint16_t, decltype(d)> narrow;
  const auto bound = hn::Set(d, rule.threshold);
  const auto factor = hn::Set(values, rule.factor);
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto drawn = hn::PromoteTo(d, hn::LoadU(narrow, draws + i));
    const auto kept = hn::RebindMask(values, hn::Lt(drawn, bound));
    hn::StoreU(hn::IfThenElseZero(kept, hn::Mul(hn::LoadU(values, x + i), factor)), values,
               out + i);
  }
#endif
  for (; i < n; ++i) out[i] = draws[i] < rule.threshold ? x[i] * rule.factor : Real(0);
}

void Dropout(Index n, const Real* x, RandomStream stream, Index first, DropoutRule rule,
             Real* out) {
  constexpr Index chunk = 1024;
  std::uint32_t words[chunk / 2];
  std::uint16_t draws[chunk];
  for (Index begin = 0; begin < n; begin += chunk) {
    const Index count = std::min(chunk, n - begin);
    RandomWords(stream, (first + begin) / 8, (count + 7) / 8, words);
    std::memcpy(draws, words, count * sizeof(draws[0]));
    Keep(count, x + begin, draws, rule, out + begin);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bf {

HWY_EXPORT(RandomWords);
HWY_EXPORT(Dropout);

void random_words(RandomStream stream, Index first_block, Index blocks, std::uint32_t* words) {
  HWY_DYNAMIC_DISPATCH(RandomWords)(stream, first_block, blocks, words);
}
void dropout_row(Index n, const Real* x, RandomStream stream, Index first, DropoutRule rule,
                 Real* out) {
  HWY_DYNAMIC_DISPATCH(Dropout)(n, x, stream, first, rule, out);
}

static_assert(std::endian::native == std::endian::little, "the low half of a word comes first");

DropoutRule::DropoutRule(double p)
    : threshold(static_cast<std::uint32_t>(std::max(1.0, std::round((1 - p) * 65536)))),
      factor(static_cast<Real>(65536.0 / threshold)) {}

}  // namespace bf
#endif  // HWY_ONCE
