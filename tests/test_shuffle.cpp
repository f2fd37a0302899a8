#include "train/shuffle.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

using bf::Index;
using bf::RandomSequence;
using bf::seeded_permutation;

TEST_CASE("shuffle: a permutation holds every number once") {
  for (const Index count : {Index{0}, Index{1}, Index{2}, Index{17}, Index{1000}}) {
    std::vector<Index> order = seeded_permutation(count, 7, 0);
    std::sort(order.begin(), order.end());
    REQUIRE(order.size() == count);
    for (Index i = 0; i < count; ++i) CHECK(order[i] == i);
  }
}

TEST_CASE("shuffle: equal seed and stream give the same order, others another") {
  const auto order = seeded_permutation(50, 3, 1);
  CHECK(order == seeded_permutation(50, 3, 1));
  CHECK(order != seeded_permutation(50, 3, 2));
  CHECK(order != seeded_permutation(50, 4, 1));
  // (seed, stream + 1) and (seed + 1, stream) must not meet.
  CHECK(seeded_permutation(50, 3, 2) != seeded_permutation(50, 4, 1));
}

TEST_CASE("shuffle: the order is part of the format and does not change between versions") {
  // From the same ten lines in Python with integers modulo 2^64.
  CHECK(seeded_permutation(6, 1, 0) == std::vector<Index>{1, 3, 4, 2, 5, 0});
}

TEST_CASE("shuffle: every order of three is about equally frequent") {
  std::vector<int> seen(27, 0);
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const auto order = seeded_permutation(3, seed, 0);
    ++seen[order[0] * 9 + order[1] * 3 + order[2]];
  }
  int orders = 0;
  for (const int count : seen) {
    if (count == 0) continue;
    ++orders;
    // 1000 expected, standard deviation 29.
    CHECK(count > 850);
    CHECK(count < 1150);
  }
  CHECK(orders == 6);
}

TEST_CASE("shuffle: below covers its range and refuses an empty one") {
  RandomSequence random(5, 5);
  std::vector<int> seen(7, 0);
  for (int i = 0; i < 7000; ++i) ++seen[random.below(7)];
  for (const int count : seen) CHECK(count > 850);
  CHECK_THROWS_WITH_AS(random.below(0), "below: the limit must be at least 1, got 0",
                       std::invalid_argument);
}

TEST_CASE("shuffle: chance follows its probability") {
  RandomSequence random(1, 2);
  int hits = 0;
  for (int i = 0; i < 10000; ++i) hits += random.chance(0.3) ? 1 : 0;
  CHECK(hits > 2800);
  CHECK(hits < 3200);
  CHECK_FALSE(random.chance(0.0));
  CHECK(random.chance(1.0));
}
