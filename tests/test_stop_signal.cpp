#include "experiments/stop_signal.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

using namespace bf;

TEST_CASE("stop_signal: the first signal is noted") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const StopSignals signals;
    CHECK(signals.received() == 0);
    std::raise(signal);
    CHECK(signals.received() == signal);
  }
}

TEST_CASE("stop_signal: a second one ends the program, and so does one after it is over") {
  for (const bool twice : {true, false}) {
    CAPTURE(twice);
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGTERM, SIG_DFL);
      {
        const StopSignals signals;
        std::raise(SIGTERM);
        if (signals.received() != SIGTERM) _exit(1);
        if (twice) std::raise(SIGTERM);
      }
      std::raise(SIGTERM);
      _exit(2);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
  }
}
