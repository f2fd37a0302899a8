#include "train/best_epoch.h"

#include <doctest/doctest.h>

using bf::BestEpoch;

TEST_CASE("best_epoch: the highest accuracy, and of equal ones the earlier epoch") {
  BestEpoch best;
  CHECK(best.epoch() == 0);
  CHECK(best.offer(1, 0.5, true));
  CHECK(best.offer(2, 0.8, true));
  CHECK_FALSE(best.offer(3, 0.8, true));
  CHECK_FALSE(best.offer(4, 0.7, true));
  CHECK(best.epoch() == 2);
  CHECK(best.accuracy() == 0.8);
  CHECK(best.without_improvement() == 2);
}

TEST_CASE("best_epoch: an epoch whose policy is in force beats a better one whose policy is not") {
  BestEpoch best;
  CHECK(best.offer(1, 0.9, false));
  CHECK(best.offer(2, 0.95, false));
  CHECK(best.offer(3, 0.7, true));
  CHECK_FALSE(best.offer(4, 0.99, false));
  CHECK(best.offer(5, 0.71, true));
  CHECK(best.epoch() == 5);
}

TEST_CASE("best_epoch: only epochs whose policy is in force count as waiting") {
  BestEpoch best;
  best.offer(1, 0.9, false);
  best.offer(2, 0.8, false);
  CHECK(best.without_improvement() == 0);
  best.offer(3, 0.7, true);
  best.offer(4, 0.6, true);
  CHECK(best.without_improvement() == 1);
  best.offer(5, 0.75, true);
  CHECK(best.without_improvement() == 0);
}

TEST_CASE("best_epoch: accuracy 0 is still an epoch") {
  BestEpoch best;
  CHECK(best.offer(1, 0, true));
  CHECK(best.epoch() == 1);
}
