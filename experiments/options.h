#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "train/dataset.h"

// What every binary shares: options with checked ranges, the data options, exit codes.
namespace bf {

/// The user's mistake on the command line: the program ends with exit code 2.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A signal asked the program to stop: it ends with exit code 128 + signal.
struct Interrupted : std::runtime_error {
  Interrupted(const std::string& message, int by) : std::runtime_error(message), signal(by) {}
  int signal;
};

/// The largest value of a count without a smaller limit of its own: a product of two is exact in 64
/// bits.
constexpr Index most_count = 1'000'000'000;

using OptionList = boost::program_options::options_description;
using OptionValues = boost::program_options::variables_map;

/// Each add_ function adds the option --`name` that writes to `target`; the value `target` has at
/// that moment is the default shown by --help. `target` must outlive parse_options(). A value that
/// cannot be read or lies outside the range is a UsageError such as
///   --batch: expected a whole number of at least 1, got "-4"
void add_count(OptionList& options, const std::string& name, Index& target, const std::string& help,
               Index lowest = 0, Index highest = most_count);
void add_seed(OptionList& options, const std::string& name, std::uint64_t& target,
              const std::string& help);
/// Finite numbers only; `exclusive_low` leaves out the lower end itself, as in (0, 1].
void add_number(OptionList& options, const std::string& name, double& target,
                const std::string& help, double lowest = std::numeric_limits<double>::lowest(),
                double highest = std::numeric_limits<double>::max(), bool exclusive_low = false);
void add_text(OptionList& options, const std::string& name, std::string& target,
              const std::string& help);
/// One of `choices`.
void add_choice(OptionList& options, const std::string& name, std::string& target,
                const std::string& help, const std::vector<std::string>& choices);
/// Values separated by commas.
void add_texts(OptionList& options, const std::string& name, std::vector<std::string>& target,
               const std::string& help);
/// An option without a value: true if it is given.
void add_flag(OptionList& options, const std::string& name, bool& target, const std::string& help);

/// --dataset, --data-dir, --train-rows, --validation-fraction, --data-seed, --skip-bad-rows,
/// --encoding, the columns of the generic formats, and --rows and --difficulty of `synthetic`.
void add_data_options(OptionList& options, DatasetOptions& data);

/// load_dataset(), with a mistake in the options as a UsageError.
Dataset load_data(const DatasetOptions& data);

/// Reads the command line into the targets of `options`. Only long options exist, unabbreviated,
/// each at most once; --help (or -h) prints `about` and the options with their defaults on stdout.
/// Returns false after --help: the program is then done. Throws UsageError or
/// boost::program_options::error, which name the option. `values`, if given, gets all values as
/// they were written (strings; flags as bool).
bool parse_options(int argc, const char* const* argv, const std::string& about, OptionList options,
                   OptionValues* values = nullptr);

/// The whole of a main(): runs `body` and maps what it throws to an exit code, with one line
/// "program: message" on stderr. 2 for UsageError and boost::program_options::error, 128 + signal
/// for Interrupted, 1 for everything else and for a stdout that cannot be written; otherwise what
/// `body` returns.
int run_main(int argc, char** argv, const std::function<int(int, char**)>& body);

}  // namespace bf
