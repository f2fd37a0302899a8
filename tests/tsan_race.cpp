// A data race on purpose, in a parallel_for body. `checked_build.sh thread` requires
// ThreadSanitizer to report it: a suppression that hides what happens in bodies would hide every
// race of ours.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "tensor/parallel.h"

int main() {
  using namespace std::chrono;
  bf::set_threads(2);
  std::atomic<int> inside{0};
  int counter = 0;
  bf::parallel_for(8, 1, [](bf::Index, bf::Index) {});  // the worker is there before
  bf::parallel_for(2, 1, [&](bf::Index, bf::Index) {
    // Waits for the other thread; relaxed, so that the two remain unordered for ThreadSanitizer.
    inside.fetch_add(1, std::memory_order_relaxed);
    const auto end = steady_clock::now() + seconds(30);
    while (inside.load(std::memory_order_relaxed) < 2 && steady_clock::now() < end) {
      std::this_thread::yield();
    }
    ++counter;
  });
  std::printf("%d\n", counter);
}
