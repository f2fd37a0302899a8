#include "experiments/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "experiments/options.h"
#include "experiments/stop_signal.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// Signals wait while this lives.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

/// The new process becomes the program; between fork and exec only system calls are safe. The
/// terminal's Ctrl-C goes to the parent alone, which passes it on: a program that got it twice
/// would end without saving. A parent that is killed takes its programs along.
[[noreturn]] void become(char* const* arguments, pid_t parent, const sigset_t& mask, int report) {
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execve(arguments[0], arguments, environ);
  const int error = errno;
  _exit(write(report, &error, sizeof error) == sizeof error ? 127 : 126);
}

pid_t start(const CommandLine& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));  // exec does not write to it
  }
  arguments.push_back(nullptr);
  int ends[2];
  require_data(pipe2(ends, O_CLOEXEC) == 0, "run_programs: no pipe: ", std::strerror(errno));
  const pid_t parent = getpid();
  pid_t process = -1;
  {
    // A signal that came before exec would be noted by the copy of our handler and lost.
    const BlockedSignals blocked;
    process = fork();
    if (process == 0) become(arguments.data(), parent, blocked.before(), ends[1]);
  }
  int error = process < 0 ? errno : 0;
  close(ends[1]);
  // Nothing comes from a process that is another program now: exec closes the pipe.
  const bool failed = process < 0 || read(ends[0], &error, sizeof error) > 0;
  close(ends[0]);
  if (failed && process > 0) waitpid(process, nullptr, 0);
  require_data(!failed, command.front(), ": cannot be started: ", std::strerror(error));
  return process;
}

/// Waits for any of the running programs; returns its number and how it ended. A signal to stop is
/// passed on to all of them, once.
std::pair<Index, int> wait_for_one(std::map<pid_t, Index>& running, const StopSignals& signals,
                                   bool& passed_on) {
  for (;;) {
    if (signals.received() != 0 && !passed_on) {
      for (const auto& [process, number] : running) kill(process, signals.received());
      passed_on = true;
    }
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    require_state(ended >= 0 || errno == EINTR, "run_programs: waitpid: ", std::strerror(errno));
    const auto found = running.find(ended);
    if (ended > 0 && found != running.end()) {
      const Index number = found->second;
      running.erase(found);
      return {number, status};
    }
    // A wait without end would not see a signal that came just before it.
    constexpr timespec moment{0, 20'000'000};
    if (ended == 0) nanosleep(&moment, nullptr);
  }
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) return join_parts("was ended by signal ", WTERMSIG(status));
  return join_parts("ended with exit code ", WEXITSTATUS(status));
}

}  // namespace

std::string shell_text(const CommandLine& command) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
  std::string text;
  for (const std::string& argument : command) {
    if (!text.empty()) text += ' ';
    if (!argument.empty() && argument.find_first_not_of(plain) == argument.npos) {
      text += argument;
      continue;
    }
    text += '\'';
    for (const char c : argument) text += c == '\'' ? "'\\''" : std::string(1, c);
    text += '\'';
  }
  return text;
}

std::string sibling_program(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

void run_programs(const std::vector<CommandLine>& commands, Index jobs,
                  const std::function<void(Index)>& started) {
  require(jobs >= 1, "run_programs: jobs must be at least 1, got ", jobs);
  const StopSignals signals;
  std::map<pid_t, Index> running;
  std::string failure;
  bool passed_on = false;
  Index next = 0;
  const auto more = [&] {
    return failure.empty() && signals.received() == 0 && next < commands.size();
  };
  while (!running.empty() || more()) {
    if (more() && running.size() < jobs) {
      if (started) started(next);
      try {
        running[start(commands[next])] = next;
      } catch (const std::runtime_error& error) {  // the others are waited for all the same
        failure = error.what();
      }
      ++next;
      continue;
    }
    const auto [number, status] = wait_for_one(running, signals, passed_on);
    if (status != 0 && failure.empty()) {
      failure = join_parts(shell_text(commands[number]), ": ", ending(status));
    }
  }
  if (signals.received() != 0) {
    throw Interrupted("stopped, and the programs it had started with it", signals.received());
  }
  require_data(failure.empty(), failure);
}

}  // namespace bf
