#include <doctest/doctest.h>

#include "nn/init.h"
#include "tests/module_check.h"

using namespace bf;

namespace {

struct Spread {
  double mean = 0, variance = 0, largest = 0;
};

Spread spread(const Tensor& values) {
  Spread result;
  const auto count = static_cast<double>(values.size());
  for (const Real value : values.to_vector()) {
    const double v = static_cast<double>(value);
    result.mean += v / count;
    result.variance += v * v / count;
    result.largest = std::max(result.largest, std::abs(v));
  }
  return result;
}

}  // namespace

TEST_CASE("init: xavier_uniform fills (-a, a) with a = sqrt(6 / (in + out))") {
  RandomSource random(1);
  const Tensor weight = xavier_uniform(100, 200, random);
  CHECK(weight.shape() == Shape{100, 200});
  const Spread s = spread(weight);
  const double a = std::sqrt(6.0 / 300);
  CHECK(s.largest <= a * (1 + epsilon));
  CHECK(s.largest > 0.999 * a);
  CHECK(std::abs(s.mean) < 0.02 * a);
  CHECK(s.variance == doctest::Approx(a * a / 3).epsilon(0.02));
}

TEST_CASE("init: kaiming_uniform fills (-a, a) with a = sqrt(6 / in)") {
  RandomSource random(1);
  const Spread s = spread(kaiming_uniform(100, 200, random));
  const double a = std::sqrt(6.0 / 200);
  CHECK(s.largest <= a * (1 + epsilon));
  CHECK(s.largest > 0.999 * a);
  CHECK(s.variance == doctest::Approx(a * a / 3).epsilon(0.02));
}

TEST_CASE("init: normal_init has the deviation asked for") {
  RandomSource random(1);
  const Spread s = spread(normal_init({100, 200}, 0.3, random));
  CHECK(std::abs(s.mean) < 0.01);
  CHECK(s.variance == doctest::Approx(0.09).epsilon(0.03));
}

TEST_CASE("init: the same seed gives the same values, the next draw others") {
  RandomSource a(5), b(5), c(6);
  const Tensor first = xavier_uniform(3, 4, a);
  CHECK(same_bits(first, xavier_uniform(3, 4, b)));
  CHECK_FALSE(same_bits(first, xavier_uniform(3, 4, a)));
  CHECK_FALSE(same_bits(first, xavier_uniform(3, 4, c)));
}

TEST_CASE("init: sinusoidal positions are the waves of the formula, for an odd width too") {
  const Tensor table = sinusoidal_positions(4, 5);
  REQUIRE(table.shape() == Shape{4, 5});
  const double t = 3, slow = std::pow(10000.0, 2.0 / 5), slower = std::pow(10000.0, 4.0 / 5);
  const std::vector<double> want = {std::sin(t), std::cos(t), std::sin(t / slow),
                                    std::cos(t / slow), std::sin(t / slower)};
  for (Index j = 0; j < 5; ++j) CHECK(table.row(3)[j] == doctest::Approx(want[j]));
  CHECK(table.rows(0, 1).to_vector() == std::vector<Real>{0, 1, 0, 1, 0});
}
