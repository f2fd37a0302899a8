#include "train/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tensor/require.h"

namespace bf {
namespace {

double decayed(const std::string& decay, double a) {
  if (decay == "linear") return 1 - a;
  if (decay == "cosine") return (1 + std::cos(std::numbers::pi * a)) / 2;
  return 1;
}

}  // namespace

void LearningRateConfig::check() const {
  require(peak >= 0 && std::isfinite(peak), "learning rate: must be a number of at least 0, got ",
          peak);
  require(warmup >= 0 && std::isfinite(warmup), "learning rate: warm-up must be at least 0, got ",
          warmup);
  require(decay == "linear" || decay == "cosine" || decay == "constant",
          "learning rate: decay must be linear, cosine or constant, got \"", decay, '"');
  require(floor >= 0 && floor <= 1, "learning rate: floor must be in [0, 1], got ", floor);
}

double learning_rate_at(const LearningRateConfig& config, Index step, Index total) {
  const double all = static_cast<double>(total);
  const double now = std::min(static_cast<double>(step), all);
  const double warmup =
      std::min(all, config.warmup < 1 ? std::round(config.warmup * all) : config.warmup);
  if (now <= warmup) return config.peak * now / warmup;
  const double a = (now - warmup) / (all - warmup);
  return config.peak * (config.floor + (1 - config.floor) * decayed(config.decay, a));
}

}  // namespace bf
