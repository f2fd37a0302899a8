#pragma once

#include "budgetformer/config.h"

namespace bf {

/// Where the policy stands at one moment of training.
struct PolicyState {
  bool dense = false;      ///< all heads run, gates are 1, no budget terms
  double temperature = 1;  ///< tau
  double noise = 0;        ///< nu
  double price = 0;        ///< lambda_c, ramped
  double entropy = 0;      ///< beta(f): from +beta (spread) to -beta (commit)
  bool sparse = false;     ///< training computes the selected heads alone
};

/// The schedules of BudgetFormer over training progress f in [0, 1]. With
/// g = (f - dense) / (1 - dense), the progress through what is left after the dense warm start, and
/// a = min(1, g / explore):
///   tau = tau_start (tau_end / tau_start)^a       nu = noise (1 - a)
///   price = head_price min(1, g / price_ramp)     beta(f) = entropy (1 - 2 a)
/// and sparse from f > sparse_after on, which 1 never lets happen.
/// The price may not come first: heads that are taken away before the task is learned never come
/// back.
PolicyState policy_at(const BudgetConfig& config, double progress);

/// The state at inference: final temperature, no noise.
PolicyState inference_policy(const BudgetConfig& config);

}  // namespace bf
