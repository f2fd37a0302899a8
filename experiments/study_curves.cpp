#include "experiments/study_curves.h"

#include <algorithm>
#include <cmath>

#include "experiments/sample.h"

namespace bf {

Curve empty_curve(const std::string& label, CurveStyle style, Colour colour) {
  return {label, {}, {}, {}, {}, style, colour};
}

Curve straight(const std::string& label, double x0, double y0, double x1, double y1,
               Colour colour) {
  return {label, {x0, x1}, {y0, y1}, {}, {}, CurveStyle::dashed, colour};
}

void add_point(Curve& curve, double x, const std::vector<double>& values, double factor) {
  const double mean = factor * mean_of(values);
  const double deviation = factor * deviation_of(values);
  curve.x.push_back(x);
  curve.y.push_back(mean);
  curve.low.push_back(std::isfinite(deviation) ? mean - deviation : mean);
  curve.high.push_back(std::isfinite(deviation) ? mean + deviation : mean);
}

void side_by_side(Chart& chart) {
  const auto count = static_cast<double>(chart.curves.size());
  const double step = 0.8 / std::max(1.0, count);
  for (Index i = 0; i < chart.curves.size(); ++i) {
    const double shift = (static_cast<double>(i) - (count - 1) / 2) * step;
    for (double& x : chart.curves[i].x) x += shift;
  }
  chart.bar_width = 0.85 * step;
}

}  // namespace bf
