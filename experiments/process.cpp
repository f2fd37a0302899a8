#include "experiments/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "tensor/require.h"

namespace bf {
namespace {

pid_t start(const CommandLine& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not write to it
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = posix_spawn(&process, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  require_data(error == 0, command.front(), ": cannot be started: ", std::strerror(error));
  return process;
}

/// Waits for any of the running programs; returns its number and how it ended.
std::pair<Index, int> wait_for_one(std::map<pid_t, Index>& running) {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = waitpid(-1, &status, 0);
  } while ((ended < 0 && errno == EINTR) || (ended > 0 && running.count(ended) == 0));
  require_state(ended > 0, "run_programs: waitpid: ", std::strerror(errno));
  const Index number = running.at(ended);
  running.erase(ended);
  return {number, status};
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
  std::map<pid_t, Index> running;
  std::string failure;
  Index next = 0;
  while (!running.empty() || (failure.empty() && next < commands.size())) {
    if (failure.empty() && next < commands.size() && running.size() < jobs) {
      if (started) started(next);
      try {
        running[start(commands[next])] = next;
      } catch (const std::runtime_error& error) {  // the others are waited for all the same
        failure = error.what();
      }
      ++next;
      continue;
    }
    const auto [number, status] = wait_for_one(running);
    if (status != 0 && failure.empty()) {
      failure = join_parts(shell_text(commands[number]), ": ", ending(status));
    }
  }
  require_data(failure.empty(), failure);
}

}  // namespace bf
