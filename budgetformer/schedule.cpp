#include "budgetformer/schedule.h"

#include <algorithm>
#include <cmath>

namespace bf {

PolicyState policy_at(const BudgetConfig& config, double progress) {
  if (progress < config.dense) return {.dense = true, .temperature = config.tau_start};
  const double left = std::min(1.0, (progress - config.dense) / (1 - config.dense));
  const double annealed = std::min(1.0, left / config.explore);
  const double ramped = config.price_ramp > 0 ? std::min(1.0, left / config.price_ramp) : 1.0;
  return {.dense = false,
          .temperature = config.tau_start * std::pow(config.tau_end / config.tau_start, annealed),
          .noise = config.noise * (1 - annealed),
          .price = config.head_price * ramped,
          .entropy = config.entropy * (1 - 2 * annealed),
          .sparse = progress > config.sparse_after};
}

PolicyState inference_policy(const BudgetConfig& config) {
  return {.dense = false, .temperature = config.tau_end};
}

}  // namespace bf
