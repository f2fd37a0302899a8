#pragma once

#include <string>
#include <vector>

#include "experiments/chart.h"

// What the pictures of a study are put together from.
namespace bf {

/// A picture and the sentence above it.
struct Figure {
  std::string sentence;
  Chart chart;
};

Curve empty_curve(const std::string& label, CurveStyle style, Colour colour);
/// A dashed line between two points.
Curve straight(const std::string& label, double x0, double y0, double x1, double y1,
               Colour colour = Colour::grey);

/// One more point of a curve: the mean, and a standard deviation to each side.
void add_point(Curve& curve, double x, const std::vector<double>& values, double factor = 1);

/// Shifts the curves of a chart with names on its axis apart, so that bars and whiskers stand side
/// by side.
void side_by_side(Chart& chart);

}  // namespace bf
