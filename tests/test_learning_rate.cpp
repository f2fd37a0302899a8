#include "train/learning_rate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

using bf::learning_rate_at;
using bf::LearningRateConfig;

TEST_CASE("learning_rate: a linear rise, then a linear fall to 0 at the last update") {
  const LearningRateConfig config{.peak = 0.5, .warmup = 0.1};
  CHECK(learning_rate_at(config, 1, 100) == doctest::Approx(0.05));
  CHECK(learning_rate_at(config, 10, 100) == doctest::Approx(0.5));
  CHECK(learning_rate_at(config, 55, 100) == doctest::Approx(0.25));
  CHECK(learning_rate_at(config, 100, 100) == doctest::Approx(0));
}

TEST_CASE("learning_rate: warm-up as a number of steps, and the floor") {
  const LearningRateConfig config{.peak = 1, .warmup = 4, .floor = 0.2};
  CHECK(learning_rate_at(config, 2, 14) == doctest::Approx(0.5));
  CHECK(learning_rate_at(config, 9, 14) == doctest::Approx(0.6));
  CHECK(learning_rate_at(config, 14, 14) == doctest::Approx(0.2));
}

TEST_CASE("learning_rate: cosine and constant") {
  const LearningRateConfig cosine{.peak = 1, .warmup = 0, .decay = "cosine"};
  CHECK(learning_rate_at(cosine, 25, 100) == doctest::Approx((1 + std::sqrt(0.5)) / 2));
  CHECK(learning_rate_at(cosine, 50, 100) == doctest::Approx(0.5));
  const LearningRateConfig constant{.peak = 1, .warmup = 0, .decay = "constant"};
  CHECK(learning_rate_at(constant, 100, 100) == 1);
}

TEST_CASE("learning_rate: a warm-up as long as the run or longer never divides by zero") {
  const LearningRateConfig config{.peak = 1, .warmup = 50};
  CHECK(learning_rate_at(config, 1, 10) == doctest::Approx(0.1));
  CHECK(learning_rate_at(config, 10, 10) == doctest::Approx(1));
  const LearningRateConfig none{.peak = 1, .warmup = 0.05};
  CHECK(learning_rate_at(none, 1, 1) == doctest::Approx(0));
}

TEST_CASE("learning_rate: wrong settings are named") {
  const auto check = [](const LearningRateConfig& config) { config.check(); };
  CHECK_THROWS_WITH_AS(check({.peak = -1}), "learning rate: must be a number of at least 0, got -1",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(check({.warmup = -0.5}),
                       "learning rate: warm-up must be at least 0, got -0.5",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(check({.decay = "steps"}),
                       "learning rate: decay must be linear, cosine or constant, got \"steps\"",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(check({.floor = 2}), "learning rate: floor must be in [0, 1], got 2",
                       std::invalid_argument);
}
