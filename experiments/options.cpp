#include "experiments/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <iostream>
#include <sstream>

#include "tensor/printable.h"
#include "tensor/require.h"
#include "train/encoding.h"

namespace po = boost::program_options;

namespace bf {
namespace {

template <typename... Parts>
[[noreturn]] void usage_error(const Parts&... parts) {
  throw UsageError(join_parts(parts...));
}

/// An option kept as text: boost's own conversion wraps "-1" to a huge unsigned number and takes
/// "nan", and its messages do not give the range.
void add_parsed(OptionList& options, const std::string& name, const std::string& shown_default,
                const std::string& help, std::function<void(const std::string&)> parse) {
  // Options are recorded as JSON, which is UTF-8.
  const auto checked = [name, parse = std::move(parse)](const std::string& text) {
    if (invalid_utf8_at(text) != text.npos) {
      usage_error("--", name, ": expected UTF-8, got \"", shortened(text), "\"");
    }
    parse(text);
  };
  auto* value = po::value<std::string>()->notifier(checked);
  if (!shown_default.empty()) value->default_value(shown_default);
  options.add_options()(name.c_str(), value, help.c_str());
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

/// `text` as an unsigned number from `lowest` to `highest`, for the option `name`.
std::uint64_t whole_number(const std::string& name, const std::string& text, std::uint64_t lowest,
                           std::uint64_t highest) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= lowest &&
      value <= highest) {
    return value;
  }
  std::ostringstream range;
  if (highest == std::numeric_limits<std::uint64_t>::max()) {
    range << " of at least " << lowest;
  } else {
    range << " from " << lowest << " to " << highest;
  }
  usage_error("--", name, ": expected a whole number", range.str(), ", got \"", text, "\"");
}

std::string shown(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string range_text(double lowest, double highest, bool exclusive_low) {
  const bool has_low = lowest > std::numeric_limits<double>::lowest();
  const bool has_high = highest < std::numeric_limits<double>::max();
  std::string low = (exclusive_low ? " above " : " of at least ") + shown(lowest);
  if (has_low && has_high) {
    return exclusive_low ? low + " and at most " + shown(highest)
                         : " from " + shown(lowest) + " to " + shown(highest);
  }
  if (has_low) return low;
  return has_high ? " of at most " + shown(highest) : "";
}

double finite_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void add_count(OptionList& options, const std::string& name, Index& target, const std::string& help,
               Index lowest, Index highest) {
  add_parsed(options, name, std::to_string(target), help, [=, &target](const std::string& text) {
    target = static_cast<Index>(whole_number(name, text, lowest, highest));
  });
}

void add_seed(OptionList& options, const std::string& name, std::uint64_t& target,
              const std::string& help) {
  add_parsed(options, name, std::to_string(target), help, [=, &target](const std::string& text) {
    target = whole_number(name, text, 0, std::numeric_limits<std::uint64_t>::max());
  });
}

void add_number(OptionList& options, const std::string& name, double& target,
                const std::string& help, double lowest, double highest, bool exclusive_low) {
  add_parsed(options, name, shown(target), help, [=, &target](const std::string& text) {
    const double value = finite_number(text);
    // A NaN fails both comparisons.
    const bool inside = value <= highest && (exclusive_low ? value > lowest : value >= lowest);
    if (!inside) {
      usage_error("--", name, ": expected a number", range_text(lowest, highest, exclusive_low),
                  ", got \"", text, "\"");
    }
    target = value;
  });
}

void add_text(OptionList& options, const std::string& name, std::string& target,
              const std::string& help) {
  add_parsed(options, name, target, help, [&target](const std::string& text) { target = text; });
}

void add_choice(OptionList& options, const std::string& name, std::string& target,
                const std::string& help, const std::vector<std::string>& choices) {
  const std::string listed = joined(choices, ", ");
  add_parsed(options, name, target, help + ": " + listed, [=, &target](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      usage_error("--", name, ": expected one of ", listed, ", got \"", text, "\"");
    }
    target = text;
  });
}

void add_texts(OptionList& options, const std::string& name, std::vector<std::string>& target,
               const std::string& help) {
  add_parsed(options, name, joined(target, ","), help, [=, &target](const std::string& text) {
    target.clear();
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) target.push_back(part);
  });
}

void add_flag(OptionList& options, const std::string& name, bool& target, const std::string& help) {
  options.add_options()(name.c_str(), po::bool_switch(&target)->default_value(target),
                        help.c_str());
}

void add_data_options(OptionList& options, DatasetOptions& data) {
  add_choice(options, "dataset", data.name, "what to load", dataset_names());
  add_text(options, "data-dir", data.data_dir, "folder of the data set's files");
  add_count(options, "train-rows", data.train_rows,
            "size of a seeded sample of the training rows; 0 = all");
  add_number(options, "validation-fraction", data.validation_fraction,
             "part of the training rows that validates where a set has no validation split", 0, 0.9,
             true);
  add_seed(options, "data-seed", data.seed,
           "seed of samples, splits and generated texts; apart from --seed, so that runs with "
           "different seeds see the same rows");
  add_flag(options, "skip-bad-rows", data.skip_bad_rows, "count and skip bad rows");
  add_text(options, "encoding", data.encoding, "utf-8 or iso-8859-1; empty = the set's own");
  add_texts(options, "text-columns", data.text_columns,
            "csv, tsv, jsonl: columns of the text, by name or number from 1, joined by a space");
  add_text(options, "second-column", data.second_column,
           "csv, tsv, jsonl: column of a second sentence");
  add_text(options, "label-column", data.label_column, "csv, tsv, jsonl: column of the label");
  add_text(options, "delimiter", data.delimiter, "csv, tsv: one character, if not , or tab");
  add_flag(options, "no-header", data.no_header, "csv, tsv: the first line is data");
  add_texts(options, "class-names", data.class_names,
            "csv, tsv, jsonl, folders: the labels; empty = those of the training rows, sorted");
  add_count(options, "rows", data.rows, "synthetic: training rows to generate", 1, 100000000);
  add_choice(options, "difficulty", data.difficulty, "synthetic: difficulty of the texts",
             {"easy", "medium", "hard", "mixed"});
}

bool parse_options(int argc, const char* const* argv, const std::string& about, OptionList options,
                   OptionValues* values) {
  options.add_options()("help", "show this text");
  namespace style = po::command_line_style;
  // Without short options "-4" is the value of the option before it, which then names its range.
  const int long_only = style::allow_long | style::long_allow_adjacent | style::long_allow_next;
  std::vector<std::string> words(argv + 1, argv + argc);
  std::replace(words.begin(), words.end(), std::string("-h"), std::string("--help"));
  const po::parsed_options parsed =
      po::command_line_parser(words).options(options).style(long_only).run();
  for (const auto& option : parsed.options) {
    if (option.string_key.empty()) {
      usage_error("unexpected argument \"", joined(option.value, " "), "\"; see --help");
    }
  }
  OptionValues map;
  po::store(parsed, map);
  if (map.count("help") != 0) {
    std::cout << about << "\n\n" << options;
    return false;
  }
  po::notify(map);
  if (values != nullptr) *values = map;
  return true;
}

Dataset load_data(const DatasetOptions& data) {
  try {
    return load_dataset(data);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

int run_main(int argc, char** argv, const std::function<int(int, char**)>& body) {
  std::string program = argc > 0 ? argv[0] : "bf";
  program.erase(0, program.find_last_of('/') + 1);
  const auto fail = [&program](const std::string& message, int code) {
    std::cout.flush();
    std::cerr << program << ": " << printable(message) << std::endl;
    return code;
  };
  // A file that may not grow any more is an error of the write, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = body(argc, argv);
    if (!std::cout.flush()) return fail("cannot write to standard output", 1);
    return code;
  } catch (const UsageError& error) {
    return fail(error.what(), 2);
  } catch (const po::error& error) {
    return fail(error.what(), 2);
  } catch (const Interrupted& stopped) {
    return fail(stopped.what(), 128 + stopped.signal);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}

}  // namespace bf
