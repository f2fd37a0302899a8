#include "budgetformer/config.h"

#include <array>
#include <utility>

#include "tensor/printable.h"
#include "tensor/require.h"

namespace bf {
namespace {

template <typename Value, std::size_t count>
using Names = std::array<std::pair<Value, const char*>, count>;

constexpr Names<Estimator, 3> estimators{{{Estimator::straight_through, "straight_through"},
                                          {Estimator::relaxed, "relaxed"},
                                          {Estimator::paper, "paper"}}};
constexpr Names<Weighting, 2> weightings{
    {{Weighting::none, "none"}, {Weighting::relevance, "relevance"}}};
constexpr Names<Pool, 3> pools{
    {{Pool::mean, "mean"}, {Pool::max, "max"}, {Pool::meanmax, "meanmax"}}};
constexpr Names<Policy, 3> policies{{{Policy::learned, "learned"},
                                     {Policy::fixed_budget, "fixed_budget"},
                                     {Policy::random_gate, "random_gate"}}};

template <typename Value, std::size_t count>
std::string name_of(const Names<Value, count>& names, Value value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  return "unknown";
}

template <typename Value, std::size_t count>
Value parse(const char* option, const Names<Value, count>& names, const std::string& text) {
  std::string all;
  for (const auto& [known, name] : names) {
    if (text == name) return known;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw std::invalid_argument(
      join_parts(option, ": expected one of ", all, "; got \"", shortened(text), '"'));
}

void check_range(const char* option, double value, double low, double high) {
  require(value >= low && value <= high, option, ": must be in [", low, ", ", high, "], got ",
          value);
}

}  // namespace

std::string to_string(Estimator value) { return name_of(estimators, value); }
std::string to_string(Weighting value) { return name_of(weightings, value); }
std::string to_string(Pool value) { return name_of(pools, value); }
std::string to_string(Policy value) { return name_of(policies, value); }

Estimator parse_estimator(const std::string& name) { return parse("estimator", estimators, name); }
Weighting parse_weighting(const std::string& name) { return parse("weighting", weightings, name); }
Pool parse_pool(const std::string& name) { return parse("controller-pool", pools, name); }
Policy parse_policy(const std::string& name) { return parse("policy", policies, name); }

void BudgetConfig::check() const {
  require(fixed_budget > 0 && fixed_budget <= 1, "fixed-budget: must be in (0, 1], got ",
          fixed_budget);
  check_range("budget-min", budget_min, 0, 1);
  check_range("budget-max", budget_max, budget_min, 1);
  check_range("hinge", hinge, 0, 1e6);
  check_range("head-price", head_price, 0, 1e6);
  check_range("logit-penalty", logit_penalty, 0, 1e6);
  check_range("entropy", entropy, 0, 1e6);
  check_range("tau-end", tau_end, 1e-6, 1e6);
  check_range("tau-start", tau_start, tau_end, 1e6);
  check_range("noise", noise, 0, 1e6);
  require(dense >= 0 && dense < 1, "dense: must be in [0, 1), got ", dense);
  check_range("price-ramp", price_ramp, 0, 1);
  require(explore > 0 && explore <= 1, "explore: must be in (0, 1], got ", explore);
  check_range("budget-noise", budget_noise, 0, 1e6);
  check_range("budget-jitter", jitter, 0, 1);
  check_range("sparse-after", sparse_after, 0, 1);
  check_range("controller-lr", controller_rate, 0, 1e6);
}

}  // namespace bf
