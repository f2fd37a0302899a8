#include <doctest/doctest.h>

#include <functional>

#include "budgetformer/config.h"
#include "tests/values.h"

using namespace bf;

namespace {

/// The message of check() after `change`.
std::string fault(const std::function<void(BudgetConfig&)>& change) {
  BudgetConfig config;
  change(config);
  return error_text<std::invalid_argument>([&] { config.check(); });
}

}  // namespace

TEST_CASE("config: every name is parsed to its value and back") {
  for (const auto value : {Estimator::straight_through, Estimator::relaxed, Estimator::paper}) {
    CHECK(parse_estimator(to_string(value)) == value);
  }
  for (const auto value : {Weighting::none, Weighting::relevance}) {
    CHECK(parse_weighting(to_string(value)) == value);
  }
  for (const auto value : {Pool::mean, Pool::max, Pool::meanmax}) {
    CHECK(parse_pool(to_string(value)) == value);
  }
  for (const auto value : {Policy::learned, Policy::fixed_budget, Policy::random_gate}) {
    CHECK(parse_policy(to_string(value)) == value);
  }
  CHECK(to_string(Estimator::straight_through) == "straight_through");
  CHECK(to_string(Weighting::relevance) == "relevance");
  CHECK(to_string(Pool::meanmax) == "meanmax");
  CHECK(to_string(Policy::random_gate) == "random_gate");
}

TEST_CASE("config: an unknown name is answered with the known ones") {
  CHECK(error_text<std::invalid_argument>([] { parse_estimator("hard"); }) ==
        "estimator: expected one of straight_through, relaxed, paper; got \"hard\"");
  CHECK(error_text<std::invalid_argument>([] { parse_weighting(""); }) ==
        "weighting: expected one of none, relevance; got \"\"");
  CHECK(error_text<std::invalid_argument>([] { parse_pool("Mean"); }) ==
        "controller-pool: expected one of mean, max, meanmax; got \"Mean\"");
  CHECK(error_text<std::invalid_argument>([] { parse_policy("learned "); }) ==
        "policy: expected one of learned, fixed_budget, random_gate; got \"learned \"");
}

TEST_CASE("config: the defaults and the ends of the ranges are accepted") {
  CHECK(fault([](BudgetConfig&) {}) == "");
  CHECK(fault([](BudgetConfig& c) { c.fixed_budget = 1, c.dense = 0, c.price_ramp = 0; }) == "");
  CHECK(fault([](BudgetConfig& c) { c.budget_min = 0, c.budget_max = 1, c.explore = 1; }) == "");
  CHECK(fault([](BudgetConfig& c) { c.tau_start = c.tau_end, c.noise = 0, c.hinge = 0; }) == "");
  CHECK(fault([](BudgetConfig& c) { c.sparse_after = 0; }) == "");
}

TEST_CASE("config: a value outside its range is named with the range") {
  CHECK(fault([](BudgetConfig& c) { c.fixed_budget = 0; }) ==
        "fixed-budget: must be in (0, 1], got 0");
  CHECK(fault([](BudgetConfig& c) { c.fixed_budget = 1.5; }) ==
        "fixed-budget: must be in (0, 1], got 1.5");
  CHECK(fault([](BudgetConfig& c) { c.budget_min = -0.1; }) ==
        "budget-min: must be in [0, 1], got -0.1");
  CHECK(fault([](BudgetConfig& c) { c.budget_min = 0.5, c.budget_max = 0.4; }) ==
        "budget-max: must be in [0.5, 1], got 0.4");
  CHECK(fault([](BudgetConfig& c) { c.hinge = -1; }) == "hinge: must be in [0, 1e+06], got -1");
  CHECK(fault([](BudgetConfig& c) { c.head_price = -1; }) ==
        "head-price: must be in [0, 1e+06], got -1");
  CHECK(fault([](BudgetConfig& c) { c.entropy = -1; }) == "entropy: must be in [0, 1e+06], got -1");
  CHECK(fault([](BudgetConfig& c) { c.tau_end = 0; }) ==
        "tau-end: must be in [1e-06, 1e+06], got 0");
  CHECK(fault([](BudgetConfig& c) { c.tau_start = 0.01; }) ==
        "tau-start: must be in [0.1, 1e+06], got 0.01");
  CHECK(fault([](BudgetConfig& c) { c.noise = -1; }) == "noise: must be in [0, 1e+06], got -1");
  CHECK(fault([](BudgetConfig& c) { c.dense = 1; }) == "dense: must be in [0, 1), got 1");
  CHECK(fault([](BudgetConfig& c) { c.price_ramp = 2; }) == "price-ramp: must be in [0, 1], got 2");
  CHECK(fault([](BudgetConfig& c) { c.explore = 0; }) == "explore: must be in (0, 1], got 0");
  CHECK(fault([](BudgetConfig& c) { c.sparse_after = 1.5; }) ==
        "sparse-after: must be in [0, 1], got 1.5");
  CHECK(fault([](BudgetConfig& c) { c.jitter = -0.5; }) ==
        "budget-jitter: must be in [0, 1], got -0.5");
  CHECK(fault([](BudgetConfig& c) { c.controller_rate = -1; }) ==
        "controller-lr: must be in [0, 1e+06], got -1");
}

TEST_CASE("config: not a number is in no range") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(fault([=](BudgetConfig& c) { c.fixed_budget = nan; }) != "");
  CHECK(fault([=](BudgetConfig& c) { c.hinge = nan; }) != "");
  CHECK(fault([=](BudgetConfig& c) { c.tau_start = nan; }) != "");
  CHECK(fault([=](BudgetConfig& c) { c.dense = nan; }) != "");
}
