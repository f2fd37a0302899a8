#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tests/values.h"

using namespace bf;

namespace {

struct Moments {
  double mean, variance, skewness;
};

template <typename Draw>
Moments moments(Index count, Draw draw) {
  double mean = 0, second = 0, third = 0;
  for (Index i = 0; i < count; ++i) mean += draw(i) / static_cast<double>(count);
  for (Index i = 0; i < count; ++i) {
    const double c = draw(i) - mean;
    second += c * c / static_cast<double>(count);
    third += c * c * c / static_cast<double>(count);
  }
  return {mean, second, third / std::pow(second, 1.5)};
}

using Words = std::array<std::uint32_t, 4>;

}  // namespace

TEST_CASE("random: philox gives the published words") {
  // Known answers of Philox4x32-10 distributed with the paper's Random123 library.
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("random: an element's word is philox of its position, stream and seed") {
  const RandomStream stream{0x299f31d0a4093822, 0x0370734413198a2e};
  for (const Index block : {Index{0}, Index{1}, (Index{1} << 32) + 5}) {
    const Words words = philox({static_cast<std::uint32_t>(block),
                                static_cast<std::uint32_t>(block >> 32), 0x13198a2e, 0x03707344},
                               {0xa4093822, 0x299f31d0});
    for (Index lane = 0; lane < 4; ++lane) CHECK(stream.word(4 * block + lane) == words[lane]);
  }
}

TEST_CASE("random: uniform numbers lie inside (0, 1) with the right moments") {
  const RandomStream stream{3, 4};
  const Index count = 1000000;
  double least = 1, most = 0;
  for (Index i = 0; i < count; ++i) {
    least = std::min(least, stream.uniform(i));
    most = std::max(most, stream.uniform(i));
  }
  CHECK(least > 0);
  CHECK(least < 1e-4);
  CHECK(most < 1);
  CHECK(most > 1 - 1e-4);
  const Moments m = moments(count, [&](Index i) { return stream.uniform(i); });
  CHECK(std::abs(m.mean - 0.5) < 5 * std::sqrt(1.0 / 12 / 1e6));
  CHECK(std::abs(m.variance - 1.0 / 12) < 5e-4);
}

TEST_CASE("random: a number is made of the words at its place") {
  const RandomStream stream{11, 12};
  for (const Index i : Sizes{0, 1, 2, 1000}) {
    const auto unit = [&](Index at) { return (double(stream.word(at) >> 8) + 0.5) / 16777216; };
    CHECK(stream.uniform(i) == unit(i));
    CHECK(stream.normal(i) == doctest::Approx(std::sqrt(-2 * std::log(unit(2 * i))) *
                                              std::cos(2 * std::numbers::pi * unit(2 * i + 1))));
    CHECK(stream.gumbel(i) == doctest::Approx(-std::log(-std::log(unit(i)))));
  }
}

TEST_CASE("random: normal numbers have the right moments and tails") {
  const RandomStream stream{5, 6};
  const Moments m = moments(1000000, [&](Index i) { return stream.normal(i); });
  CHECK(std::abs(m.mean) < 5e-3);
  CHECK(std::abs(m.variance - 1) < 5 * std::sqrt(2.0 / 1e6));
  CHECK(std::abs(m.skewness) < 0.0125);
  Index beyond = 0;
  for (Index i = 0; i < 1000000; ++i) beyond += std::abs(stream.normal(i)) > 2;
  CHECK(std::abs(static_cast<double>(beyond) - 45500) < 5 * std::sqrt(45500.0));
}

TEST_CASE("random: neighbouring elements, streams and seeds are uncorrelated") {
  const Index count = 200000;
  double neighbours = 0, streams = 0, seeds = 0;
  for (Index i = 0; i < count; ++i) {
    const double x = RandomStream{5, 6}.normal(i);
    neighbours += x * RandomStream{5, 6}.normal(i + 1);
    streams += x * RandomStream{5, 7}.normal(i);
    seeds += x * RandomStream{6, 6}.normal(i);
  }
  const double bound = 5 * std::sqrt(static_cast<double>(count));
  CHECK(std::abs(neighbours) < bound);
  CHECK(std::abs(streams) < bound);
  CHECK(std::abs(seeds) < bound);
}

TEST_CASE("random: gumbel numbers are finite with the right moments") {
  const RandomStream stream{7, 8};
  const Tensor draws = gumbel_tensor({10'000'000}, {7, 9});
  CHECK(first_non_finite(draws) == draws.size());
  const Moments m = moments(1000000, [&](Index i) { return stream.gumbel(i); });
  CHECK(std::abs(m.mean - std::numbers::egamma) < 0.0065);
  CHECK(std::abs(m.variance - std::numbers::pi * std::numbers::pi / 6) < 0.02);
  CHECK(std::abs(m.skewness - 1.1395) < 0.05);
}

TEST_CASE("random: gumbel of u = 0 and u = 1 is that of the ends of the allowed range") {
  CHECK(gumbel_from_uniform(0) == doctest::Approx(-2.8115).epsilon(1e-4));
  CHECK(gumbel_from_uniform(1) == doctest::Approx(16.6355).epsilon(1e-5));
  CHECK(gumbel_from_uniform(0.5) == doctest::Approx(-std::log(std::log(2.0))));
  double before = -2.8115;
  for (const double u : {std::numeric_limits<double>::denorm_min(), 1e-300, 1e-9, 0x1p-24, 1e-3,
                         0.5, 1 - 1e-3, 1 - 0x1p-24, 1 - 0x1p-53}) {
    const double g = gumbel_from_uniform(u);
    CHECK(std::isfinite(g));
    CHECK(g > before - 1e-4);  // rises with u
    before = g;
  }
}

TEST_CASE("random: tensors hold the elements of the stream on any number of threads") {
  const RandomStream stream{9, 10};
  const Shape shape{101, 101};
  Tensor uniform, normal, gumbel;
  {
    const ThreadsGuard guard(1);
    uniform = uniform_tensor(shape, -2, 3, stream);
    normal = normal_tensor(shape, 1, 2, stream);
    gumbel = gumbel_tensor(shape, stream);
  }
  for (const Index i : {Index{0}, Index{1}, Index{4095}, Index{4096}, Index{10200}}) {
    CHECK(uniform[i] == static_cast<Real>(-2 + 5 * stream.uniform(i)));
    CHECK(normal[i] == static_cast<Real>(1 + 2 * stream.normal(i)));
    CHECK(gumbel[i] == static_cast<Real>(stream.gumbel(i)));
  }
  for (const Index thread_count : Sizes{2, 8}) {
    const ThreadsGuard guard(thread_count);
    CHECK(same_bits(uniform_tensor(shape, -2, 3, stream), uniform));
    CHECK(same_bits(normal_tensor(shape, 1, 2, stream), normal));
    CHECK(same_bits(gumbel_tensor(shape, stream), gumbel));
  }
}

TEST_CASE("random: a source hands out streams that differ by use, step and seed") {
  std::set<std::uint64_t> streams;
  RandomSource source(1);
  for (const Index step : Sizes{0, 1, 2, 1000000}) {
    source.begin_step(step);
    for (int use = 0; use < 100; ++use) streams.insert(source.next().stream);
  }
  CHECK(streams.size() == 400);
  CHECK(source.uses() == 100);
  RandomSource other(2);
  CHECK(other.next().seed == 2);
  CHECK(RandomSource(1).next().word(0) != RandomSource(2).next().word(0));
}

TEST_CASE("random: a resumed step draws what the uninterrupted one drew") {
  RandomSource running(42);
  RandomStream expected{};
  for (std::uint64_t step = 0; step <= 50; ++step) {
    running.begin_step(step);
    for (int use = 0; use < 7; ++use) expected = running.next();
  }
  RandomSource resumed(42);
  resumed.begin_step(50);
  RandomStream drawn{};
  for (int use = 0; use < 7; ++use) drawn = resumed.next();
  CHECK(drawn.seed == expected.seed);
  CHECK(drawn.stream == expected.stream);
}

TEST_CASE("random: too many uses of one step are an error") {
  RandomSource source(1);
  source.begin_step(3);
  for (int use = 0; use < 1 << 20; ++use) source.next();
  CHECK(error_text<std::logic_error>([&] { source.next(); }) ==
        "random: more than 1048576 uses in step 3");
  source.begin_step(4);
  CHECK(error_text<std::logic_error>([&] { source.next(); }).empty());
}
