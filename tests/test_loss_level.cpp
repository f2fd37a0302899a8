#include "train/loss_level.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tensor/random.h"

using namespace bf;

namespace {

constexpr RandomStream noise{3, 9};

/// After `count` losses around 1 with the given standard deviation.
LossLevel level_after(Index count, double deviation) {
  LossLevel level;
  for (Index i = 0; i < count; ++i) CHECK_FALSE(level.add(1 + deviation * noise.normal(i)));
  return level;
}

}  // namespace

TEST_CASE("loss_level: a loss far above the last ones begins a spike, once") {
  LossLevel level = level_after(60, 0.02);
  const auto begun = level.add(3);
  REQUIRE(begun.has_value());
  CHECK(*begun == doctest::Approx(1).epsilon(0.02));
  CHECK_FALSE(level.add(3.5).has_value());  // the same spike
  CHECK(level.high);
  CHECK_FALSE(level.add(1.01).has_value());
  CHECK_FALSE(level.high);
  CHECK(level.add(3).has_value());
}

TEST_CASE("loss_level: noise, a fall and a small rise are no spikes") {
  LossLevel noisy = level_after(500, 0.5);
  CHECK_FALSE(noisy.add(1 + 5).has_value());  // 10 deviations are 5
  CHECK_FALSE(noisy.add(-20).has_value());
  LossLevel quiet = level_after(60, 1e-4);
  CHECK_FALSE(quiet.add(1.49).has_value());
  CHECK(quiet.add(1.51).has_value());
}

TEST_CASE("loss_level: a few odd losses do not move the level, many do") {
  LossLevel level = level_after(50, 0.02);
  for (Index i = 0; i < 10; ++i) level.add(100);
  level.add(1);
  const auto begun = level.add(3);
  REQUIRE(begun.has_value());
  CHECK(*begun == doctest::Approx(1).epsilon(0.05));
  for (Index i = 0; i < 60; ++i) level.add(7);
  CHECK_FALSE(level.high);
  CHECK_FALSE(level.add(7.4).has_value());
  CHECK(level.losses.size() == LossLevel::window);
}

TEST_CASE("loss_level: nothing is said before there is a level") {
  LossLevel level;
  for (Index i = 0; i < LossLevel::least; ++i) CHECK_FALSE(level.add(i % 2 ? 0 : 1e6).has_value());
  LossLevel ready = level_after(LossLevel::least, 0);
  CHECK(ready.add(2).has_value());
}
