#include "experiments/process.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <stdexcept>

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
