#pragma once

#include <string>
#include <vector>

#include "experiments/study.h"

namespace bf {

/// The parts of the study that bf-ablate knows.
std::vector<std::string> ablation_parts();

/// The variants of a part, the reference "mha" first. `base` is the model of the study: opponents
/// with fewer heads keep its head width, so that they cost what a budget of as many heads costs.
///   ablation   BudgetFormer with one thing changed: estimator, weighting, pooling, noise, ...
///   fixed      budgets fixed in training, a random gate in training or at test time
///   opponents  multi-head attention trained with fewer heads, or pruned after training
///   budgets    one trained model at budgets from 1/8 to 1, with and without --budget-jitter
///   gate       the learned gate against a random one, in training and at test time only
///   layers, heads, rows   scaling
/// Throws std::invalid_argument for another name.
std::vector<Variant> ablation(const std::string& part, const TransformerConfig& base);

}  // namespace bf
