#include "train/batches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

using bf::Batch;
using bf::BatchPlan;
using bf::evaluation_plan;
using bf::Id;
using bf::Index;
using bf::make_batch;
using bf::pass_sizes;
using bf::TokenizedSplit;
using bf::training_plan;

namespace {

/// Example i has 1 + (7 i mod 13) tokens, all of them i.
TokenizedSplit numbered(Index count) {
  TokenizedSplit split;
  for (Index i = 0; i < count; ++i) {
    split.tokens.emplace_back(1 + 7 * i % 13, static_cast<Id>(i));
    split.labels.push_back(static_cast<Id>(i % 3));
  }
  return split;
}

std::vector<Index> flat(const BatchPlan& plan) {
  std::vector<Index> all;
  for (const auto& batch : plan) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

std::vector<Index> sorted(std::vector<Index> values) {
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

TEST_CASE("batches: every example is in an epoch exactly once") {
  for (const Index count : {Index{1}, Index{5}, Index{64}, Index{1003}}) {
    const TokenizedSplit split = numbered(count);
    for (const BatchPlan& plan :
         {training_plan(split, 8, 1, 1), evaluation_plan(split, 8, 1000000)}) {
      const std::vector<Index> seen = sorted(flat(plan));
      REQUIRE(seen.size() == count);
      for (Index i = 0; i < count; ++i) CHECK(seen[i] == i);
      CHECK(plan.size() == (count + 7) / 8);
    }
  }
}

TEST_CASE("batches: the plan is a function of seed and epoch") {
  const TokenizedSplit split = numbered(500);
  CHECK(training_plan(split, 4, 1, 1) == training_plan(split, 4, 1, 1));
  CHECK(training_plan(split, 4, 1, 1) != training_plan(split, 4, 1, 2));
  CHECK(training_plan(split, 4, 1, 1) != training_plan(split, 4, 2, 1));
}

TEST_CASE("batches: a batch holds texts of about one length, the batches come in mixed order") {
  const TokenizedSplit split = numbered(1300);
  const BatchPlan plan = training_plan(split, 10, 3, 1);
  Index spread = 0, falls = 0, last = 0;
  for (const auto& examples : plan) {
    Index low = 13, high = 1;
    for (const Index i : examples) {
      low = std::min(low, split.tokens[i].size());
      high = std::max(high, split.tokens[i].size());
    }
    spread += high - low;
    falls += high < last;
    last = high;
  }
  CHECK(spread < plan.size());  // 13 lengths over 50 batches: most hold one length
  CHECK(falls > plan.size() / 4);
}

TEST_CASE("batches: evaluation goes from long to short") {
  const TokenizedSplit split = numbered(40);
  const std::vector<Index> order = flat(evaluation_plan(split, 8, 1000000));
  for (Index i = 1; i < order.size(); ++i) {
    CHECK(split.tokens[order[i - 1]].size() >= split.tokens[order[i]].size());
  }
}

TEST_CASE("batches: a packed batch keeps tokens, lengths, labels and places together") {
  const TokenizedSplit split = numbered(20);
  const std::vector<Index> examples = {7, 0, 13};
  const Batch batch = make_batch(split, examples);
  REQUIRE(batch.size() == 3);
  CHECK(batch.examples == examples);
  CHECK(batch.tokens.size() == batch.segments.tokens());
  for (Index b = 0; b < 3; ++b) {
    const Index example = examples[b];
    CHECK(batch.labels[b] == split.labels[example]);
    REQUIRE(batch.segments.length(b) == split.tokens[example].size());
    for (Index t = batch.segments.begin(b); t < batch.segments.end(b); ++t) {
      CHECK(batch.tokens[t] == static_cast<Id>(example));
    }
  }
}

TEST_CASE("batches: a batch may be larger than any number of texts") {
  for (const Index size : {Index{3}, Index{1} << 63, std::numeric_limits<Index>::max()}) {
    const BatchPlan plan = training_plan(numbered(3), size, 1, 1);
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].size() == 3);
    CHECK(evaluation_plan(numbered(3), size, 1000).size() == 1);
  }
}

TEST_CASE("batches: a batch of no text is an error") {
  CHECK_THROWS_WITH_AS(training_plan(numbered(3), 0, 1, 1),
                       "batches: the batch size must be at least 1, got 0", std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      evaluation_plan(numbered(3), 0, 1),
      "batches: the batch size and the tokens of a pass must be at least 1, got 0 and 1",
      std::invalid_argument);
}

TEST_CASE("batches: evaluation keeps to the tokens of a pass, unless one example has more") {
  const TokenizedSplit split = numbered(50);
  const BatchPlan plan = evaluation_plan(split, 8, 20);
  CHECK(sorted(flat(plan)).size() == 50);
  for (const auto& batch : plan) {
    Index tokens = 0;
    for (const Index example : batch) tokens += split.tokens[example].size();
    CHECK((batch.size() <= 8 && tokens <= 20));
  }
  for (const auto& batch : evaluation_plan(split, 8, 3)) {
    CHECK((batch.size() == 1 || split.tokens[batch[0]].size() <= 2));
  }
}

TEST_CASE("batches: passes share the tokens, in order and none empty") {
  using Sizes = std::vector<Index>;
  CHECK(pass_sizes(Sizes{5, 5, 5, 5}, 10) == Sizes{2, 2});
  CHECK(pass_sizes(Sizes{5, 5, 5, 5}, 20) == Sizes{4});
  CHECK(pass_sizes(Sizes{5, 5, 5, 5}, 19) == Sizes{2, 2});
  CHECK(pass_sizes(Sizes{5, 5, 5, 5}, 100, 3) == Sizes{2, 1, 1});
  CHECK(pass_sizes(Sizes{1, 1, 1, 30}, 8) == Sizes{1, 1, 1, 1});
  CHECK(pass_sizes(Sizes{30, 1, 1, 1}, 16) == Sizes{1, 1, 2});
  CHECK(pass_sizes(Sizes{7}, 1, 9) == Sizes{1});
  CHECK_THROWS_WITH_AS(pass_sizes(Sizes{7}, 0),
                       "batches: the tokens of a pass must be at least 1, got 0",
                       std::invalid_argument);
}
