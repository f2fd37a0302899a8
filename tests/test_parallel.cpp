#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tensor/gemm.h"
#include "tensor/parallel.h"
#include "tests/values.h"

using namespace bf;

TEST_CASE("parallel: every index is visited once, in the blocks that count and block give") {
  for (const Index thread_count : Sizes{1, 2, 3, 8}) {
    const ThreadsGuard guard(thread_count);
    for (const Index count : Sizes{0, 1, 7, 64, 1000}) {
      for (const Index block : Sizes{1, 3, 64, 5000}) {
        CAPTURE(thread_count);
        CAPTURE(count);
        CAPTURE(block);
        std::vector<int> visits(count);
        std::atomic<Index> blocks{0}, misfits{0};
        parallel_for(count, block, [&](Index first, Index last) {
          ++blocks;
          if (first % block != 0 || last != std::min(count, first + block)) ++misfits;
          for (Index i = first; i < last; ++i) ++visits[i];
        });
        CHECK(blocks == block_count(count, block));
        CHECK(misfits == 0);
        CHECK(visits == std::vector<int>(count, 1));
      }
    }
  }
}

TEST_CASE("parallel: a sum has the same bits on 1, 2, 3 and 8 threads") {
  const std::vector<Real> values = seeded_values(100003, 5);
  const auto sum = [&] {
    return blocked_sum(values.size(), 1000, [&](Index first, Index last) {
      double part = 0;
      for (Index i = first; i < last; ++i) part += static_cast<double>(values[i]) / 3;
      return part;
    });
  };
  double expected = 0, plain = 0;
  {
    const ThreadsGuard guard(1);
    expected = sum();
  }
  for (const Real value : values) plain += static_cast<double>(value) / 3;
  CHECK(expected == doctest::Approx(plain).epsilon(1e-10));
  for (const Index thread_count : Sizes{2, 3, 8}) {
    const ThreadsGuard guard(thread_count);
    for (int repeat = 0; repeat < 20; ++repeat) CHECK(sum() == expected);
  }
}

TEST_CASE("parallel: a call inside a body runs on the thread that makes it") {
  const ThreadsGuard guard(8);
  std::atomic<int> elsewhere{0}, outside{0}, visits{0};
  CHECK_FALSE(in_parallel_region());
  parallel_for(64, 1, [&](Index, Index) {
    const auto self = std::this_thread::get_id();
    if (!in_parallel_region()) ++outside;
    parallel_for(10, 1, [&](Index, Index) {
      ++visits;
      if (std::this_thread::get_id() != self) ++elsewhere;
    });
    if (!in_parallel_region()) ++outside;
  });
  CHECK(elsewhere == 0);
  CHECK(outside == 0);
  CHECK(visits == 640);
  CHECK_FALSE(in_parallel_region());
}

TEST_CASE("parallel: what a body throws reaches the caller, and the threads go on working") {
  for (const Index thread_count : Sizes{1, 2, 8}) {
    const ThreadsGuard guard(thread_count);
    CAPTURE(thread_count);
    const auto body = [](Index first, Index) {
      if (first == 700) throw std::invalid_argument("block 700");
    };
    CHECK(error_text<std::invalid_argument>([&] { parallel_for(1000, 10, body); }) == "block 700");
    CHECK_FALSE(in_parallel_region());
    std::atomic<Index> visits{0};
    parallel_for(1000, 10, [&](Index first, Index last) { visits += last - first; });
    CHECK(visits == 1000);
  }
}

TEST_CASE("parallel: denormals count as zero in every body") {
  if constexpr (real_is_double) return;  // a float test: the flags serve both types
  for (const Index thread_count : Sizes{1, 2, 8}) {
    const ThreadsGuard guard(thread_count);
    std::atomic<int> kept{0};
    for (int repeat = 0; repeat < 20; ++repeat) {
      parallel_for(64, 1, [&](Index, Index) {
        const volatile float small = std::numeric_limits<float>::min();
        const volatile float denormal = small / 2;
        if (denormal != 0) ++kept;
        std::this_thread::yield();
      });
    }
    CHECK(kept == 0);
  }
}

TEST_CASE("parallel: denormals count as zero for a caller that never computed before") {
  // oneTBB hands its workers the floating-point flags of whoever created the pool; a body must not
  // depend on that.
  std::atomic<int> kept{0};
  std::thread([&] {
    const ThreadsGuard guard(4);
    parallel_for(64, 1, [&](Index, Index) {
      const volatile float small = std::numeric_limits<float>::min();
      const volatile float denormal = small / 2;
      if (denormal != 0) ++kept;
    });
  }).join();
  CHECK(kept == 0);
}

TEST_CASE("parallel: every thread may run on every processor that the process may") {
  // A library that pins a thread hands this down to all that it starts later.
  cpu_set_t allowed;
  const Tensor a = Tensor::full({300, 300}, 1);
  Tensor c({300, 300});
  REQUIRE(sched_getaffinity(getpid(), sizeof allowed, &allowed) == 0);
  for (const GemmBackend backend : {GemmBackend::own, GemmBackend::openblas}) {
    const GemmBackend before = gemm_backend();
    set_gemm_backend(backend);
    for (const Index thread_count : Sizes{1, 2, 8}) {
      const ThreadsGuard guard(thread_count);
      gemm(1, a, a, 0, c);
      std::atomic<Index> pinned{0};
      parallel_for(64, 1, [&](Index, Index) {
        cpu_set_t own;
        if (sched_getaffinity(0, sizeof own, &own) != 0 || !CPU_EQUAL(&own, &allowed)) ++pinned;
        std::this_thread::yield();
      });
      CHECK(pinned == 0);
    }
    set_gemm_backend(before);
  }
}

TEST_CASE("parallel: never more threads at once than asked for") {
  for (const Index thread_count : Sizes{1, 2, 3, 8}) {
    const ThreadsGuard guard(thread_count);
    CHECK(threads() == thread_count);
    std::atomic<Index> now{0}, most{0};
    parallel_for(200, 1, [&](Index, Index) {
      const Index running = ++now;
      Index seen = most;
      while (running > seen && !most.compare_exchange_weak(seen, running)) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      --now;
    });
    CHECK(most <= thread_count);
    CHECK(most >= 1);
  }
}

TEST_CASE("parallel: the number of threads may change many times") {
  const ThreadsGuard guard(2);
  std::atomic<Index> visits{0};
  for (Index repeat = 0; repeat < 100; ++repeat) {
    set_threads(1 + repeat % 8);
    parallel_for(16, 1, [&](Index, Index) { ++visits; });
  }
  CHECK(visits == 1600);
}

TEST_CASE("parallel: errors") {
  CHECK(error_text<std::invalid_argument>([] { set_threads(0); }) ==
        "threads: expected 1 to 1024, got 0");
  CHECK(error_text<std::invalid_argument>([] { set_threads(1025); }) ==
        "threads: expected 1 to 1024, got 1025");
  const ThreadsGuard guard(2);
  std::string text;
  parallel_for(2, 1, [&](Index first, Index) {
    if (first == 0) text = error_text<std::logic_error>([] { set_threads(3); });
  });
  CHECK(text == "threads: cannot change inside a parallel region");
}
