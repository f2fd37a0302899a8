#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tensor/real.h"

namespace bf {

/// A program and its arguments.
using CommandLine = std::vector<std::string>;

/// The command line as one would type it in a shell: arguments with other characters than letters,
/// digits and a few marks stand in single quotes.
std::string shell_text(const CommandLine& command);

/// The path of `name` in the folder that holds the running program.
std::string sibling_program(const std::string& name);

/// Runs the commands, at most `jobs` at the same time and in their order; `started` is told the
/// number of each as it starts. Their standard output is dropped, standard error is shared. When
/// one fails, no further one starts, and after the end of those that run a std::runtime_error
/// names the command and its exit code or signal. Throws std::runtime_error when a program cannot
/// be started.
///
/// A first SIGINT or SIGTERM is passed on to the programs that run, no further one starts, and
/// after their end Interrupted is thrown. They are process groups of their own, so that a
/// terminal's Ctrl-C reaches them once; when this process dies they get SIGTERM from the kernel.
void run_programs(const std::vector<CommandLine>& commands, Index jobs,
                  const std::function<void(Index)>& started = {});

}  // namespace bf
