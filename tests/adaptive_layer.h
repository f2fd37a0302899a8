#pragma once

#include "tests/policy.h"

namespace bf {

/// One layer with seeded parameters.
struct Layer {
  explicit Layer(const BudgetConfig& budget, const TransformerConfig& config = small_model())
      : random(5), attention(config, budget, random) {
    disturb(attention, 6, 0.3);
    attention.set_state(middle_state());
  }
  Variable operator()(const Variable& x, const Segments& segments) {
    return attention.forward(x, segments);
  }
  RandomSource random;
  AdaptiveMultiHeadAttention attention;
};

inline BudgetConfig config_of(Policy policy, Weighting weighting = Weighting::none,
                              Estimator estimator = Estimator::straight_through) {
  BudgetConfig config;
  config.policy = policy, config.weighting = weighting, config.estimator = estimator;
  return config;
}

inline BudgetConfig fixed(double budget, Weighting weighting = Weighting::none) {
  BudgetConfig config = config_of(Policy::fixed_budget, weighting);
  config.fixed_budget = budget;
  return config;
}

}  // namespace bf
