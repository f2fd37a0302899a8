#pragma once

#include <string>
#include <vector>

#include "experiments/study.h"

namespace bf {

/// The parts of the study that bf-ablate knows.
std::vector<std::string> ablation_parts();

/// The variants of a part. `base` is the model of the study: opponents with fewer heads keep its
/// head width, so that they cost what a budget of as many heads costs.
///   ablation   BudgetFormer with one thing changed: estimator, weighting, pooling, noise, ...; and
///              the paper's recipe, also with one head and with all of them at test time
///   gate       the learned gate against a random one, in training and at test time only
///   opponents  multi-head attention trained with fewer heads, or pruned after training; budgets
///              fixed in training, and the same put on the learned model at test time
///   budgets    one trained model at budgets from 1/8 to 1, with and without --budget-jitter
///   layers, heads, rows   scaling; each BudgetFormer beside multi-head attention of its size
/// Throws std::invalid_argument for another name.
std::vector<Variant> ablation(const std::string& part, const TransformerConfig& base);

}  // namespace bf
