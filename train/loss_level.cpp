#include "train/loss_level.h"

#include <algorithm>
#include <cmath>

namespace bf {
namespace {

constexpr double most_deviations = 10, normal_deviation = 1.4826, least_rise_nats = 0.5;

/// The upper one of the two in the middle of an even number.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::optional<double> LossLevel::add(double loss) {
  std::optional<double> begun;
  if (losses.size() >= least) {
    const double level = median(losses);
    std::vector<double> distances;
    for (const double before : losses) distances.push_back(std::abs(before - level));
    const double spread = most_deviations * normal_deviation * median(distances);
    const bool now = loss > level + std::max(spread, least_rise_nats);
    if (now && !high) begun = level;
    high = now;
  }
  losses.push_back(loss);
  if (losses.size() > window) losses.erase(losses.begin());
  return begun;
}

}  // namespace bf
