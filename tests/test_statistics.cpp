#include <doctest/doctest.h>

#include <cmath>

#include "budgetformer/statistics.h"
#include "tests/policy.h"

using namespace bf;
using doctest::Approx;

TEST_CASE("statistics: counts of a selection made by hand") {
  LayerStatistics statistics(4);
  HeadSelection first = selection_of({0b0001, 0b0011}, 4), second = selection_of({0b1001}, 4);
  first.budgets = Tensor::from({2}, {Real(0.25), Real(0.5)});
  second.budgets = Tensor::from({1}, {Real(0.375)});
  statistics.add(first, Tensor::from({2}, {1, Real(0.5)}), Tensor::from({2}, {Real(6.5), 2}));
  statistics.add(second, Tensor::from({1}, {Real(0.75)}), Tensor::from({1}, {-7}));
  CHECK(statistics.sequences() == 3);
  CHECK(statistics.budget_mean() == Approx(0.375));
  CHECK(statistics.budget_deviation() == Approx(std::sqrt(0.03125 / 3)));
  CHECK(statistics.heads_mean() == Approx(5.0 / 3));
  CHECK(statistics.entropy_mean() == Approx(0.75));
  CHECK(statistics.heads_histogram() == std::vector<Index>{0, 1, 2, 0, 0});
  const std::vector<double> usage = statistics.head_usage();
  REQUIRE(usage.size() == 4);
  CHECK(usage[0] == Approx(1));
  CHECK(usage[1] == Approx(1.0 / 3));
  CHECK(usage[2] == 0);
  CHECK(usage[3] == Approx(1.0 / 3));
  CHECK(statistics.dead_heads() == 1);
  CHECK(statistics.saturated() == Approx(2.0 / 3));
}

TEST_CASE("statistics: a logit of 6 still has slope, beyond it is saturated, NaN is too") {
  LayerStatistics statistics(1);
  const Tensor logits =
      Tensor::from({4}, {6, -6, Real(6.01), std::numeric_limits<Real>::quiet_NaN()});
  statistics.add(selection_of({1, 1, 1, 1}, 1), {}, logits);
  CHECK(statistics.saturated() == Approx(0.5));
}

TEST_CASE("statistics: a head is dead below one sequence in a thousand") {
  LayerStatistics statistics(2);
  statistics.add(selection_of({0b10}, 2), {}, {});
  for (int i = 0; i < 999; ++i) statistics.add(selection_of({0b01}, 2), {}, {});
  CHECK(statistics.dead_heads() == 0);
  statistics.add(selection_of({0b01}, 2), {}, {});
  CHECK(statistics.dead_heads() == 1);
}

TEST_CASE("statistics: batches without entropies or logits do not dilute those that have them") {
  LayerStatistics statistics(2);
  statistics.add(selection_of({0b11, 0b11, 0b11}, 2), {}, {});
  statistics.add(selection_of({0b01}, 2), Tensor::from({1}, {Real(0.5)}), Tensor::from({1}, {8}));
  CHECK(statistics.entropy_mean() == Approx(0.5));
  CHECK(statistics.saturated() == Approx(1));
  CHECK(statistics.heads_mean() == Approx(7.0 / 4));
}

TEST_CASE("statistics: a controller is off for a sequence whose hidden units all have no slope") {
  LayerStatistics statistics(1);
  CHECK(statistics.hidden_off() == 0);
  const Tensor hidden = Tensor::from({3, 2}, {1, -1, 1, Real(0.5), -1, Real(0.9995)});
  statistics.add(selection_of({1, 1, 1}, 1), {}, Tensor::from({3}, {1, 1, 1}), hidden);
  statistics.add(selection_of({1}, 1), {}, {});
  CHECK(statistics.hidden_off() == Approx(2.0 / 3));
}

TEST_CASE("statistics: nothing seen is zero everywhere, also after reset") {
  LayerStatistics statistics(2);
  statistics.add(selection_of({0b11}, 2), Tensor::from({1}, {1}), Tensor::from({1}, {9}));
  statistics.reset();
  CHECK(statistics.sequences() == 0);
  CHECK(statistics.budget_mean() == 0);
  CHECK(statistics.budget_deviation() == 0);
  CHECK(statistics.heads_mean() == 0);
  CHECK(statistics.entropy_mean() == 0);
  CHECK(statistics.saturated() == 0);
  CHECK(statistics.head_usage() == std::vector<double>{0, 0});
  CHECK(statistics.heads_histogram() == std::vector<Index>{0, 0, 0});
}
