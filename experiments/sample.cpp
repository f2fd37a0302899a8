#include "experiments/sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/table.h"
#include "tensor/require.h"
#include "train/correlation.h"

namespace bf {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::vector<double> finite(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values;
}

/// The pairs of which both sides are finite, in the order of x.
std::vector<std::pair<double, double>> pairs(const std::vector<double>& x,
                                             const std::vector<double>& y) {
  require(x.size() == y.size(), "sample: ", x.size(), " values of x for ", y.size(), " of y");
  std::vector<std::pair<double, double>> result;
  for (Index i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i]) && std::isfinite(y[i])) result.emplace_back(x[i], y[i]);
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

double mean_of(const std::vector<double>& values) {
  double sum = 0, count = 0;
  for (const double value : finite(values)) sum += value, count += 1;
  return count > 0 ? sum / count : nothing;
}

double deviation_of(const std::vector<double>& values) {
  const std::vector<double> kept = finite(values);
  if (kept.size() < 2) return nothing;
  const double mean = mean_of(kept);
  double sum = 0;
  for (const double value : kept) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(kept.size() - 1));
}

double quantile(std::vector<double> values, double q) {
  values = finite(std::move(values));
  if (values.empty()) return nothing;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<Index>(at);
  const Index above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

double rank_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> kept_x, kept_y;
  for (const auto& [a, b] : pairs(x, y)) kept_x.push_back(a), kept_y.push_back(b);
  return spearman(kept_x, kept_y).value_or(nothing);
}

std::string digits_or_dash(double value, int digits) {
  return std::isfinite(value) ? fixed_digits(value, digits) : "-";
}

std::string signed_digits(double value, int digits) {
  return (value > 0 ? "+" : "") + digits_or_dash(value, digits);
}

std::string mean_and_deviation(const std::vector<double>& values, int digits, double factor) {
  std::string text = digits_or_dash(factor * mean_of(values), digits);
  const double deviation = deviation_of(values);
  if (!std::isfinite(deviation)) return text;
  const std::string spread = fixed_digits(factor * deviation, digits);
  if (spread.find_first_of("123456789") != std::string::npos) text += " \u00b1 " + spread;
  return text;
}

std::vector<Bin> bins(const std::vector<double>& x, const std::vector<double>& y, Index count) {
  const auto points = pairs(x, y);
  std::vector<Bin> result;
  for (Index first = 0, made = 1; first < points.size(); ++made) {
    Index end = std::max(first + 1, points.size() * made / std::max<Index>(count, 1));
    while (end < points.size() && points[end].first == points[end - 1].first) ++end;
    std::vector<double> in_x, in_y;
    for (; first < end; ++first) {
      in_x.push_back(points[first].first), in_y.push_back(points[first].second);
    }
    result.push_back(
        {mean_of(in_x), mean_of(in_y), quantile(in_y, 0.1), quantile(in_y, 0.9), in_y.size()});
    while (made < count && points.size() * (made + 1) / count <= first) ++made;
  }
  return result;
}

}  // namespace bf
