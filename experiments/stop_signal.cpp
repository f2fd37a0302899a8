#include "experiments/stop_signal.h"

#include <signal.h>

#include <atomic>
#include <iterator>

namespace bf {
namespace {

constexpr int signals[] = {SIGINT, SIGTERM};
struct sigaction earlier[std::size(signals)];
// The handler runs on any thread; only what is lock-free may be touched there.
std::atomic<int> last_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) { last_signal = signal; }

}  // namespace

StopSignals::StopSignals() {
  last_signal = 0;
  struct sigaction action {};
  action.sa_handler = note;
  // Reads and writes go on where they were; the next signal of the kind finds the default action.
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (unsigned i = 0; i < std::size(signals); ++i) sigaction(signals[i], &action, &earlier[i]);
}

StopSignals::~StopSignals() {
  for (unsigned i = 0; i < std::size(signals); ++i) {
    // A shell starts background jobs with SIGINT ignored; that is put back like anything else.
    sigaction(signals[i], &earlier[i], nullptr);
  }
}

int StopSignals::received() const { return last_signal; }

}  // namespace bf
