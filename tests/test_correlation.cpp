#include "train/correlation.h"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace bf;

TEST_CASE("correlation: equal values share the mean of their ranks") {
  CHECK(mean_ranks({30, 10, 20}) == std::vector<double>{3, 1, 2});
  CHECK(mean_ranks({5, 1, 5, 5, 9}) == std::vector<double>{3, 1, 3, 3, 5});
  CHECK(mean_ranks({}).empty());
}

TEST_CASE("correlation: one for any rising function, minus one for a falling one") {
  const std::vector<double> x{1, 2, 3, 4}, cubes{1, 8, 27, 64}, falling{0, -1, -5, -6};
  CHECK(spearman(x, cubes).value() == doctest::Approx(1));
  CHECK(spearman(x, falling).value() == doctest::Approx(-1));
}

TEST_CASE("correlation: without ties it is 1 - 6 sum d^2 / (n (n^2 - 1))") {
  // Differences of the ranks 0, -1, 1, -1, 1: 1 - 6 * 4 / (5 * 24).
  CHECK(spearman({1, 2, 3, 4, 5}, {10, 30, 20, 50, 40}).value() == doctest::Approx(0.8));
}

TEST_CASE("correlation: with ties it is Pearson's correlation of the mean ranks") {
  // Ranks 1.5, 1.5, 3.5, 3.5 and 1, 2, 3, 4: 4 / sqrt(4 * 5).
  CHECK(spearman({0, 0, 1, 1}, {1, 2, 3, 4}).value() == doctest::Approx(0.894427191));
}

TEST_CASE("correlation: none where one side does not vary or there is no pair") {
  CHECK_FALSE(spearman({1, 1, 1}, {1, 2, 3}).has_value());
  CHECK_FALSE(spearman({1}, {2}).has_value());
  CHECK_FALSE(spearman({}, {}).has_value());
}

TEST_CASE("correlation: counts that differ are an error") {
  CHECK_THROWS_WITH_AS(spearman({1, 2}, {1}), "spearman: 2 values do not match 1",
                       std::invalid_argument);
}
