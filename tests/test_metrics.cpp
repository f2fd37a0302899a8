#include "train/metrics.h"

#include <doctest/doctest.h>

#include <stdexcept>

using bf::argmax;
using bf::Real;
using bf::score;

TEST_CASE("metrics: accuracy and F1 of a small case worked out by hand") {
  // class 0: TP 2, FP 1, FN 0 -> 4/5; class 1: TP 1, FP 0, FN 1 -> 2/3
  const bf::Scores scores = score({0, 0, 0, 1, 2, 2}, {0, 0, 1, 1, 2, 2}, 3);
  CHECK(scores.accuracy == doctest::Approx(5.0 / 6));
  CHECK(scores.class_f1[0] == doctest::Approx(0.8));
  CHECK(scores.class_f1[1] == doctest::Approx(2.0 / 3));
  CHECK(scores.class_f1[2] == doctest::Approx(1));
  CHECK(scores.macro_f1 == doctest::Approx((0.8 + 2.0 / 3 + 1) / 3));
}

TEST_CASE("metrics: a class that never occurs has F1 0, not NaN") {
  const bf::Scores scores = score({0, 0}, {0, 0}, 2);
  CHECK(scores.class_f1[1] == 0);
  CHECK(scores.macro_f1 == 0.5);
}

TEST_CASE("metrics: argmax takes the first of equal values") {
  const Real values[] = {1, 3, 3, 2};
  CHECK(argmax(values, 4) == 1);
  CHECK(argmax(values, 1) == 0);
}

TEST_CASE("metrics: wrong input is named") {
  CHECK_THROWS_WITH_AS(score({0}, {0, 1}, 2), "score: 1 predictions do not match 2 labels",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(score({}, {}, 2), "score: there is no example", std::invalid_argument);
  CHECK_THROWS_WITH_AS(score({0}, {2}, 2), "score: class 2 is outside 0..1", std::invalid_argument);
}
