#include <doctest/doctest.h>

#include <cmath>

#include "budgetformer/schedule.h"

using namespace bf;
using doctest::Approx;

namespace {

/// dense until 0.5; then the price rises over the next quarter of what is left, and tau and nu are
/// annealed over half of it.
BudgetConfig example() {
  BudgetConfig config;
  config.dense = 0.5, config.price_ramp = 0.25, config.explore = 0.5;
  config.tau_start = 2, config.tau_end = 0.02, config.noise = 3;
  config.head_price = 0.4, config.entropy = 0.01;
  return config;
}

}  // namespace

TEST_CASE("schedule: all heads run and the policy costs nothing until the dense part ends") {
  for (const double f : {0.0, 0.3, 0.4999999}) {
    const PolicyState state = policy_at(example(), f);
    CHECK(state.dense);
    CHECK(state.price == 0);
    CHECK(state.entropy == 0);
    CHECK(state.noise == 0);
    CHECK(state.temperature == 2);
  }
}

TEST_CASE("schedule: the policy starts hot, noisy, spread and for free") {
  const PolicyState state = policy_at(example(), 0.5);
  CHECK_FALSE(state.dense);
  CHECK(state.temperature == Approx(2));
  CHECK(state.noise == Approx(3));
  CHECK(state.price == Approx(0));
  CHECK(state.entropy == Approx(0.01));
}

TEST_CASE("schedule: half way, tau has fallen geometrically, the rest linearly") {
  // f = 0.625 is a quarter of what is left: half of the annealing, all of the ramp.
  const PolicyState half = policy_at(example(), 0.625);
  CHECK(half.temperature == Approx(0.2));
  CHECK(half.noise == Approx(1.5));
  CHECK(half.entropy == Approx(0));
  CHECK(half.price == Approx(0.4));
  CHECK(policy_at(example(), 0.5625).price == Approx(0.2));
  CHECK(policy_at(example(), 0.5625).temperature == Approx(2 * std::pow(0.01, 0.25)));
}

TEST_CASE("schedule: after the exploration the state stays cold, silent and committed") {
  for (const double f : {0.75, 0.9, 1.0, 1.5}) {
    const PolicyState state = policy_at(example(), f);
    CHECK(state.temperature == Approx(0.02));
    CHECK(state.noise == Approx(0));
    CHECK(state.price == Approx(0.4));
    CHECK(state.entropy == Approx(-0.01));
  }
}

TEST_CASE("schedule: without a dense part and without a ramp the price is there from the start") {
  BudgetConfig config = example();
  config.dense = 0, config.price_ramp = 0;
  const PolicyState state = policy_at(config, 0);
  CHECK_FALSE(state.dense);
  CHECK(state.price == Approx(0.4));
}

TEST_CASE("schedule: only the selected heads are computed after sparse-after; 1 is never") {
  BudgetConfig config = example();
  for (const double f : {0.5, 0.9, 1.0}) CHECK_FALSE(policy_at(config, f).sparse);
  config.sparse_after = 0.75;
  CHECK_FALSE(policy_at(config, 0.75).sparse);
  CHECK(policy_at(config, 0.76).sparse);
  config.sparse_after = 0;
  CHECK_FALSE(policy_at(config, 0.49).sparse);  // all heads run
  CHECK(policy_at(config, 0.5).sparse);
  CHECK_FALSE(inference_policy(config).sparse);
}

TEST_CASE("schedule: inference has the final temperature, no noise and all heads only by budget") {
  const PolicyState state = inference_policy(example());
  CHECK_FALSE(state.dense);
  CHECK(state.temperature == 0.02);
  CHECK(state.noise == 0);
  CHECK(state.price == 0);
  CHECK(state.entropy == 0);
}
