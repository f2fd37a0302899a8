#include "tensor/profile.h"

#include "tensor/clock.h"
#include "tensor/flops.h"
#include "tensor/parallel.h"

namespace bf {
namespace {

struct Recorder {
  Profile totals{};
  WorkKind current = WorkKind::none;
  // When the current scope began:
  Clock::time_point time{};
  std::uint64_t flops = 0;
};
thread_local Recorder recorder;

WorkTotal& total_of(WorkKind work) { return recorder.totals[static_cast<std::size_t>(work)]; }

}  // namespace

const char* work_name(WorkKind work) {
  constexpr std::array names{"gemm",          "attention",     "elementwise",
                             "normalisation", "embedding",     "optimizer",
                             "selection",     "head_dispatch", "none"};
  static_assert(names.size() == work_kinds + 1);
  return names[static_cast<std::size_t>(work)];
}

void start_profile() {
  recorder.totals = {};
  detail::profiling = true;
}

Profile stop_profile() {
  detail::profiling = false;
  return recorder.totals;
}

WorkKind ProfileScope::current() { return recorder.current; }

bool ProfileScope::open(WorkKind work, std::uint64_t bytes) {
  if (work == WorkKind::none || in_parallel_region()) return false;
  if (recorder.current != WorkKind::none) {
    total_of(recorder.current).bytes += bytes;
    return false;
  }
  ++total_of(work).calls;
  total_of(work).bytes += bytes;
  recorder.current = work;
  recorder.flops = executed_flops().total();
  recorder.time = Clock::now();
  return true;
}

void ProfileScope::close() {
  WorkTotal& total = total_of(recorder.current);
  total.seconds += seconds_since(recorder.time);
  total.flops += executed_flops().total() - recorder.flops;
  recorder.current = WorkKind::none;
}

}  // namespace bf
