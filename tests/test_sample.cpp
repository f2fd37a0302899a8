#include "experiments/sample.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace bf;

namespace {

const double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("sample: mean and deviation leave out what was not recorded") {
  CHECK(mean_of({1, none, 3}) == 2);
  CHECK(deviation_of({1, none, 3}) == doctest::Approx(std::sqrt(2.0)));
  CHECK(std::isnan(mean_of({none})));
  CHECK(std::isnan(deviation_of({5})));
}

TEST_CASE("sample: quantiles lie between the nearest values") {
  CHECK(quantile({4, 1, 3, 2}, 0.5) == 2.5);
  CHECK(quantile({4, 1, 3, 2}, 0) == 1);
  CHECK(quantile({4, 1, 3, 2}, 1) == 4);
  CHECK(quantile({0, 10}, 0.1) == doctest::Approx(1));
  CHECK(std::isnan(quantile({}, 0.5)));
}

TEST_CASE("sample: rank correlation of what was recorded on both sides") {
  CHECK(rank_correlation({1, 2, none, 3}, {30, 20, 40, none}) == doctest::Approx(-1));
  CHECK(std::isnan(rank_correlation({1, 1}, {1, 2})));
  CHECK_THROWS_WITH_AS(rank_correlation({1}, {1, 2}), "sample: 1 values of x for 2 of y",
                       std::invalid_argument);
}

TEST_CASE("sample: mean and deviation as text") {
  CHECK(mean_and_deviation({0.1, 0.3}, 1, 100) == "20.0 \u00b1 14.1");
  CHECK(mean_and_deviation({0.25}, 2) == "0.25");
  CHECK(mean_and_deviation({0.25, 0.251}, 2) == "0.25");
  CHECK(mean_and_deviation({}, 2) == "-");
  CHECK(digits_or_dash(none, 2) == "-");
}

TEST_CASE("sample: bins hold about equally many points and keep equal x together") {
  const std::vector<Bin> even = bins({4, 1, 3, 2}, {40, 10, 30, 20}, 2);
  REQUIRE(even.size() == 2);
  CHECK(even[0].x == 1.5);
  CHECK(even[0].mean == 15);
  CHECK(even[1].low == doctest::Approx(31));
  CHECK(even[1].high == doctest::Approx(39));
  const std::vector<Bin> tied = bins({1, 1, 1, 1, 2}, {1, 2, 3, 4, 5}, 5);
  REQUIRE(tied.size() == 2);
  CHECK(tied[0].count == 4);
  CHECK(tied[1].mean == 5);
  CHECK(bins({}, {}, 4).empty());
}
