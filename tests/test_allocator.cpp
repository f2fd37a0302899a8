#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <new>

#include "tensor/allocator.h"
#include "tests/values.h"

using namespace bf;

namespace {

constexpr Index kilobyte = 1024 / sizeof(Real);  // values

}  // namespace

TEST_CASE("allocator: blocks are aligned to 64 bytes") {
  for (const Index count : Sizes{0, 1, 15, 16, 17, 64, 65, 1000, 4097}) {
    const auto block = allocate(count);
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(block.get()) % 64 == 0);
  }
}

TEST_CASE("allocator: a freed block serves the next request of its class") {
  release_cached_memory();
  const Real* first = allocate(1000).get();
  const Index asked = memory_stats().system_allocations;
  const auto second = allocate(1000);
  CHECK(second.get() == first);
  CHECK(memory_stats().cached_bytes == 0);
  const auto third = allocate(1000);  // the class is empty again
  CHECK(third.get() != first);
  CHECK(memory_stats().system_allocations == asked + 1);
}

TEST_CASE("allocator: slightly different sizes share a class, at most a quarter is wasted") {
  for (const Index count : Sizes{1, 16, 70, 100, 129, 1000, 1025, 5000, 40000, 1048577}) {
    const Index before = memory_stats().live_bytes;
    const auto block = allocate(count);
    const Index held = memory_stats().live_bytes - before, needed = count * sizeof(Real);
    CAPTURE(count);
    CHECK(held >= needed);
    CHECK(held <= needed + std::max<Index>(64, needed / 4));
  }
  release_cached_memory();
  allocate(97 * kilobyte);
  const Index asked = memory_stats().system_allocations;
  allocate(100 * kilobyte);
  CHECK(memory_stats().system_allocations == asked);
}

TEST_CASE("allocator: a larger free block serves a request of more than a quarter of its size") {
  release_cached_memory();
  const Real* large = allocate(7 * kilobyte).get();
  const MemoryStats start = memory_stats();
  {
    const auto block = allocate(2 * kilobyte);  // the smallest class within the limit
    CHECK(block.get() == large);
    CHECK(memory_stats().live_bytes == start.live_bytes + 2 * kilobyte * sizeof(Real));
    CHECK(memory_stats().cached_bytes == 0);
  }
  CHECK(memory_stats().cached_bytes == start.cached_bytes);  // back in its own class
  CHECK(allocate(7 * kilobyte).get() == large);
  CHECK(memory_stats().system_allocations == start.system_allocations);
  const auto small = allocate(kilobyte);
  CHECK(small.get() != large);
}

TEST_CASE("allocator: the smallest block that serves is taken") {
  release_cached_memory();
  const Real *seven, *five;
  {
    const auto a = allocate(7 * kilobyte), b = allocate(5 * kilobyte);
    seven = a.get(), five = b.get();
  }
  const auto first = allocate(4 * kilobyte), second = allocate(4 * kilobyte);
  CHECK(first.get() == five);
  CHECK(second.get() == seven);
}

TEST_CASE("allocator: live, peak and cached bytes") {
  release_cached_memory();
  reset_peak_memory();
  const MemoryStats start = memory_stats();
  CHECK(start.peak_bytes == start.live_bytes);
  CHECK(start.cached_bytes == 0);
  {
    const auto a = allocate(4 * kilobyte), b = allocate(2 * kilobyte);
    CHECK(memory_stats().live_bytes == start.live_bytes + 6144);
  }
  const auto c = allocate(kilobyte / 4);
  const MemoryStats end = memory_stats();
  CHECK(end.live_bytes == start.live_bytes + 256);
  CHECK(end.peak_bytes == start.live_bytes + 6144);
  CHECK(end.cached_bytes == 6144);
  CHECK(end.system_allocations == start.system_allocations + 3);
  release_cached_memory();
  CHECK(memory_stats().cached_bytes == 0);
  CHECK(memory_stats().live_bytes == start.live_bytes + 256);
}

TEST_CASE("allocator: every value of a fresh or reused block is NaN when poison is on") {
  for (int round = 0; round < 2; ++round) {
    const auto block = allocate(133);
    for (Index i = 0; i < 133; ++i) {
      CHECK(std::isnan(block.get()[i]));
      block.get()[i] = 1;
    }
  }
}

TEST_CASE("allocator: poison off leaves a reused block as it was") {
  release_cached_memory();
  poison_new_memory(false);
  allocate(133).get()[100] = 7;
  const auto again = allocate(133);
  poison_new_memory(true);
  CHECK(again.get()[100] == 7);
}

TEST_CASE("allocator: more memory than there is throws bad_alloc and counts nothing") {
  const Index live = memory_stats().live_bytes;
  CHECK_THROWS_AS(allocate(std::numeric_limits<Index>::max()), std::bad_alloc);
  CHECK_THROWS_AS(allocate(std::numeric_limits<Index>::max() / 8 / sizeof(Real)), std::bad_alloc);
  CHECK(memory_stats().live_bytes == live);
}

TEST_CASE("allocator: threads may allocate and free at the same time") {
  const Index live = memory_stats().live_bytes;
  const ThreadsGuard guard(8);
  parallel_for(2000, 1, [](Index first, Index) {
    const auto block = allocate(100 + first % 7 * 300);
    block.get()[0] = static_cast<Real>(first);
  });
  CHECK(memory_stats().live_bytes == live);
}
