#include "tensor/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "tensor/require.h"

#if defined(__SANITIZE_THREAD__)
#define BF_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BF_THREAD_SANITIZER 1
#endif
#endif
#ifdef BF_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#define BF_UNWATCHED __attribute__((no_sanitize("thread")))
#else
#define BF_UNWATCHED
#endif

namespace bf {
namespace {

/// ThreadSanitizer does not see into oneTBB, which is not compiled with it: these say that what was
/// done before release(place) is done before what follows acquire(place) on another thread.
void release([[maybe_unused]] void* place) {
#ifdef BF_THREAD_SANITIZER
  __tsan_release(place);
#endif
}
void acquire([[maybe_unused]] void* place) {
#ifdef BF_THREAD_SANITIZER
  __tsan_acquire(place);
#endif
}

/// The same at the end of a scope, also when it ends with an exception.
struct ReleaseGuard {
  explicit ReleaseGuard(void* p) : place(p) {}
  ~ReleaseGuard() { release(place); }
  void* place;
};
struct AcquireGuard {
  explicit AcquireGuard(void* p) : place(p) {}
  ~AcquireGuard() { acquire(place); }
  void* place;
};

struct Pool {
  explicit Pool(Index threads)
      : count(threads),
        limit(tbb::global_control::max_allowed_parallelism, threads),
        arena(static_cast<int>(threads)) {}
  Index count;
  tbb::global_control limit;
  tbb::task_arena arena;
};

std::unique_ptr<Pool>& pool() {
  static std::unique_ptr<Pool> instance =
      std::make_unique<Pool>(std::max(1u, std::thread::hardware_concurrency()));
  return instance;
}

thread_local bool inside = false;

/// Marks the thread as inside a body for as long as it lives.
struct InsideGuard {
  InsideGuard() { inside = true; }
  ~InsideGuard() { inside = false; }
};

}  // namespace

void set_threads(Index count) {
  require(count >= 1 && count <= 1024, "threads: expected 1 to 1024, got ", count);
  require_state(!inside, "threads: cannot change inside a parallel region");
  pool().reset();  // the old limit must go first: oneTBB applies the smallest one alive
  pool() = std::make_unique<Pool>(count);
}

Index threads() { return pool()->count; }
bool in_parallel_region() { return inside; }

void flush_denormals() {
  // Looks at the register each time: oneTBB sets it anew when a worker enters another arena.
#if defined(__SSE2__)
  constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  constexpr unsigned both = flush_to_zero | denormals_are_zero;
  const unsigned control = _mm_getcsr();
  if ((control & both) != both) _mm_setcsr(control | both);
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | (std::uint64_t{1} << 24)));
#endif
}

void parallel_for(Index count, Index block, FunctionRef<void(Index, Index)> body) {
  const Index blocks = block_count(count, block);
  flush_denormals();
  if (blocks <= 1 || inside || threads() == 1) {
    for (Index b = 0; b < blocks; ++b) body(b * block, std::min(count, (b + 1) * block));
    return;
  }
  char begin = 0, end = 0;  // places for release() and acquire()
  const AcquireGuard after(&end);
  release(&begin);
  pool()->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<Index>(0, blocks, 1),
        // Unwatched, for what it was handed by oneTBB is read before acquire(); the body is
        // watched.
        [&](const tbb::blocked_range<Index>& range) BF_UNWATCHED {
          acquire(&begin);
          const ReleaseGuard at_end(&end);
          flush_denormals();
          const InsideGuard guard;
          for (Index b = range.begin(); b != range.end(); ++b) {
            body(b * block, std::min(count, (b + 1) * block));
          }
        },
        tbb::simple_partitioner());
  });
}

double blocked_sum(Index count, Index block, FunctionRef<double(Index, Index)> f) {
  std::vector<double> partial(block_count(count, block));
  parallel_for(count, block,
               [&](Index first, Index last) { partial[first / block] = f(first, last); });
  double sum = 0;
  for (const double value : partial) sum += value;
  return sum;
}

}  // namespace bf
