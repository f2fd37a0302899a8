#pragma once

#include <string>

#include "tensor/real.h"

namespace bf {

/// What training lets through the gates (see head_selection.h).
///   straight_through  forward the hard 0/1 selection, backward the relaxed one
///   relaxed           gate = p in training, hard selection at inference
///   paper             gate_h = s H r_h in training, hard selection at inference: our best reading
///                     of the paper, kept to show that the two are different functions
enum class Estimator { straight_through, relaxed, paper };

/// What a selected head counts: 1, or k r_h / (sum of r over the selected heads).
enum class Weighting { none, relevance };

/// What the controller sees of a sequence: the mean of its tokens (the paper's), their maximum, or
/// both side by side (then normalised).
enum class Pool { mean, max, meanmax };

/// Which parts of the policy are learned: budget and gate; the gate at one fixed budget (no f_o);
/// or the budget with a random gate (no g_d).
enum class Policy { learned, fixed_budget, random_gate };

/// Names as in the options, e.g. "straight_through"; parse throws std::invalid_argument with the
/// known names.
std::string to_string(Estimator value);
std::string to_string(Weighting value);
std::string to_string(Pool value);
std::string to_string(Policy value);
Estimator parse_estimator(const std::string& name);
Weighting parse_weighting(const std::string& name);
Pool parse_pool(const std::string& name);
Policy parse_policy(const std::string& name);

/// Everything BudgetFormer adds to a Transformer. The symbols are those of the README.
struct BudgetConfig {
  Policy policy = Policy::learned;
  Estimator estimator = Estimator::straight_through;
  Weighting weighting = Weighting::none;
  Pool pool = Pool::meanmax;
  double fixed_budget = 0.125;  ///< s of Policy::fixed_budget, a fraction of the heads in (0, 1]
  double budget_min = 0.1;      ///< s_min of the hinge
  double budget_max = 0.9;      ///< s_max
  double hinge = 1.0;           ///< lambda_b
  double head_price = 0.3;      ///< lambda_c
  double logit_penalty = 0.1;   ///< lambda_z, on controller logits beyond +-4
  double entropy = 0.01;        ///< beta
  double tau_start = 1.0;
  double tau_end = 0.1;
  double noise = 1.0;       ///< nu at the start
  double budget_noise = 1;  ///< the same on the controller's logits, as a factor of nu
  double dense = 0.3;       ///< fraction of training in which all heads run
  double price_ramp = 0.3;  ///< of what is left: over this part the price rises to lambda_c
  double explore = 0.8;     ///< of what is left: over this part tau and nu are annealed
  double jitter = 0;        ///< share of the training texts that get a random budget
  double sparse_after = 1;  ///< training progress after which the selected heads alone are computed
  double controller_rate = 3;  ///< multiplier of the learning rate of f_o and g_d

  /// Throws std::invalid_argument naming the option, its range and the value.
  void check() const;
};

}  // namespace bf
