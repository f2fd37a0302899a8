#include "experiments/process.h"

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <thread>

#include "experiments/options.h"
#include "tests/temp_folder.h"

using namespace bf;

namespace {

CommandLine shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

std::string failure_of(const std::vector<CommandLine>& commands) {
  try {
    run_programs(commands, 1);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// Whether the file comes to be there.
bool appears(const std::string& path) {
  for (int i = 0; i < 1500 && !std::filesystem::exists(path); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::filesystem::exists(path);
}

/// A program that notes its beginning and the signal by which it was told to end; it waits for one
/// for some 20 seconds.
CommandLine patient(const TempFolder& folder, const std::string& name) {
  const std::string file = folder.path(name);
  return shell("for s in INT TERM; do trap \"touch " + file + ".$s; exit 0\" $s; done; touch " +
               file + "; i=0; while [ $i -lt 1000 ]; do sleep 0.02; i=$((i + 1)); done");
}

/// The exit code of a process that ends by itself within 15 seconds; else it is killed: -1.
int exit_code(pid_t process) {
  int status = 0;
  for (int i = 0; i < 1500; ++i) {
    if (waitpid(process, &status, WNOHANG) == process) {
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(process, SIGKILL);
  waitpid(process, &status, 0);
  return -1;
}

/// A process of its own that runs the commands, two at a time; its exit code is 128 + signal for
/// Interrupted with the right words.
pid_t runner(const std::vector<CommandLine>& commands) {
  const pid_t process = fork();
  if (process != 0) return process;
  try {
    run_programs(commands, 2);
  } catch (const Interrupted& stopped) {
    const std::string text = stopped.what();
    _exit(text == "stopped, and the programs it had started with it" ? 128 + stopped.signal : 3);
  } catch (...) {
    _exit(2);
  }
  _exit(0);
}

}  // namespace

TEST_CASE("process: a command is shown as a shell would read it") {
  CHECK(shell_text({"bf-train", "--lr", "1e-3", "--out", "a b"}) ==
        "bf-train --lr 1e-3 --out 'a b'");
  CHECK(shell_text({"echo", "it's", ""}) == "echo 'it'\\''s' ''");
}

TEST_CASE("process: programs run in their order, one after the other or side by side") {
  const TempFolder folder;
  const std::string file = folder.path("order");
  std::vector<Index> started;
  run_programs({shell("printf a >> " + file), shell("printf b >> " + file)}, 1,
               [&](Index number) { started.push_back(number); });
  CHECK(started == std::vector<Index>{0, 1});
  CHECK(std::filesystem::file_size(file) == 2);
  // Each of two waits for the other's file: only side by side can both end.
  const auto meet = [&](const std::string& mine, const std::string& other) {
    return shell("touch " + folder.path(mine) + "; while [ ! -e " + folder.path(other) +
                 " ]; do sleep 0.01; done");
  };
  run_programs({meet("left", "right"), meet("right", "left")}, 2);
  CHECK(std::filesystem::exists(folder.path("right")));
}

TEST_CASE("process: a failure names the command, and nothing starts after it") {
  const TempFolder folder;
  CHECK(failure_of({shell("exit 3"), shell("touch " + folder.path("late"))}) ==
        "/bin/sh -c 'exit 3': ended with exit code 3");
  CHECK_FALSE(std::filesystem::exists(folder.path("late")));
  CHECK(failure_of({shell("kill -TERM $$")}).find("was ended by signal 15") != std::string::npos);
  CHECK(failure_of({{"/no/such/program"}}) ==
        "/no/such/program: cannot be started: No such file or directory");
}

TEST_CASE("process: what runs is waited for when another program cannot start") {
  const TempFolder folder;
  const std::string file = folder.path("done");
  CHECK_THROWS_WITH_AS(run_programs({shell("sleep 0.1; touch " + file), {"/no/such/program"}}, 2),
                       "/no/such/program: cannot be started: No such file or directory",
                       std::runtime_error);
  CHECK(std::filesystem::exists(file));
}

TEST_CASE("process: a signal to stop is passed on, and the programs are waited for") {
  for (const int signal : {SIGINT, SIGTERM}) {
    CAPTURE(signal);
    const TempFolder folder;
    const pid_t process =
        runner({patient(folder, "a"), patient(folder, "b"), shell("touch " + folder.path("late"))});
    REQUIRE(appears(folder.path("a")));
    REQUIRE(appears(folder.path("b")));
    kill(process, signal);
    CHECK(exit_code(process) == 128 + signal);
    // The programs had ended before: nothing is waited for here.
    for (const char* name : {"a", "b"}) {
      CHECK(std::filesystem::exists(folder.path(name) + (signal == SIGINT ? ".INT" : ".TERM")));
    }
    CHECK_FALSE(std::filesystem::exists(folder.path("late")));
  }
}

TEST_CASE("process: the programs do not outlive a parent that is killed") {
  const TempFolder folder;
  const pid_t process = runner({patient(folder, "a")});
  REQUIRE(appears(folder.path("a")));
  kill(process, SIGKILL);
  REQUIRE(waitpid(process, nullptr, 0) == process);
  CHECK(appears(folder.path("a.TERM")));
}
