#include "experiments/study_curves.h"

#include <doctest/doctest.h>

using namespace bf;

TEST_CASE("study_curves: a point is the mean, a standard deviation to each side of it") {
  Curve curve = empty_curve("any", CurveStyle::points, Colour::blue);
  add_point(curve, 3, {0.1, 0.3}, 100);
  add_point(curve, 4, {0.5});
  CHECK(curve.x == std::vector<double>{3, 4});
  CHECK(curve.y[0] == doctest::Approx(20));
  CHECK(curve.low[0] == doctest::Approx(20 - 14.14).epsilon(1e-3));
  CHECK(curve.high[0] == doctest::Approx(20 + 14.14).epsilon(1e-3));
  CHECK(curve.low[1] == 0.5);  // one seed has no deviation
  CHECK(curve.high[1] == 0.5);
}

TEST_CASE("study_curves: curves stand side by side within the place of a name") {
  Chart chart;
  for (int i = 0; i < 2; ++i) chart.curves.push_back(empty_curve("", CurveStyle::bars, {}));
  chart.curves[0].x = {0, 1}, chart.curves[1].x = {0, 1};
  side_by_side(chart);
  CHECK(chart.curves[0].x == std::vector<double>{-0.2, 0.8});
  CHECK(chart.curves[1].x == std::vector<double>{0.2, 1.2});
  CHECK(chart.bar_width == doctest::Approx(0.34));
}
