#include "experiments/training_options.h"

#include <doctest/doctest.h>

using namespace bf;

TEST_CASE("training_options: the arguments of bf-train become its options, checked") {
  const RunOptions run =
      training_options({"--dataset", "synthetic", "--heads", "4", "--seed", "7", "--threads", "1"});
  CHECK(run.data.name == "synthetic");
  CHECK(run.model.transformer.heads == 4);
  CHECK(run.training.seed == 7);
  CHECK_THROWS_WITH_AS(training_options({"--dim", "30", "--heads", "8"}),
                       "--dim: 30 is not divisible by --heads 8", UsageError);
}
