#include "experiments/study_commands.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>

#include "experiments/run_record.h"
#include "experiments/sample.h"
#include "tensor/require.h"
#include "train/catalog.h"

namespace bf {
namespace {

using Option = std::pair<std::string, std::string>;

/// The options of a command with their values.
std::vector<Option> options_in(const std::string& command) {
  std::istringstream words(command);
  std::vector<Option> options;
  for (std::string word; words >> word;) {
    if (word.starts_with("--")) {
      options.emplace_back(word, "");
    } else if (!options.empty()) {
      std::string& value = options.back().second;
      value += (value.empty() ? "" : " ") + word;
    }
  }
  return options;
}

/// "--heads 2"; of another model's folder only its name.
std::string shown(const Option& option) {
  return option.first + ' ' + std::filesystem::path(option.second).filename().string();
}

/// What every run has of its own, and where its data are, is no trait of a variant.
const std::set<std::string> of_one_run = {"--seed", "--out", "--data-dir", "--dataset",
                                          "--threads"};

}  // namespace

std::vector<std::string> commands(const StudyPart& part) {
  std::vector<std::string> lines;
  for (const StudyGroup& group : part.groups) {
    for (const StudyRun& run : group.runs) {
      lines.push_back(join_parts(run.dataset, ", ", run.variant, ", seed ",
                                 text_at(run.record, "/seed", "?"), ": ", run.command));
    }
  }
  return lines;
}

std::string option_in(const std::string& command, const std::string& option) {
  for (const auto& [name, value] : options_in(command)) {
    if (name == option) return value;
  }
  return "";
}

std::string texts_sentence(const StudyPart& part) {
  const std::vector<CatalogEntry> known = catalog();
  std::string lengths, parts;
  for (const std::string& dataset : part.datasets()) {
    const StudyGroup* group = part.find(dataset, "budget");
    if (group == nullptr) continue;
    const std::string length = option_in(group->runs.front().command, "--max-len");
    if (!length.empty()) lengths += join_parts(lengths.empty() ? "" : ", ", dataset, ' ', length);
    const double texts = group->mean([](const StudyRun& run) { return run.test("examples"); });
    const std::string name = dataset.substr(0, dataset.find(" ("));
    for (const CatalogEntry& entry : known) {
      const auto published = static_cast<double>(entry.published_test);
      if (entry.name != name || !(texts < published)) continue;
      parts += join_parts(parts.empty() ? "" : ", ", name, ' ', digits_or_dash(texts, 0), " of ",
                          entry.published_test);
    }
  }
  std::string sentence;
  if (!lengths.empty()) sentence = "Texts are cut after so many tokens: " + lengths + ". ";
  if (!parts.empty())
    sentence += "Only a part of the published test texts was at hand: " + parts + '.';
  return sentence;
}

ReportTable options_table(const StudyPart& part) {
  std::vector<const StudyRun*> variants, trained;
  for (const StudyGroup& group : part.groups) {
    const StudyRun& run = group.runs.front();
    const bool known = std::any_of(variants.begin(), variants.end(), [&](const StudyRun* other) {
      return other->variant == run.variant;
    });
    if (known) continue;
    variants.push_back(&run);
    if (run.trained()) trained.push_back(&run);
  }
  const auto is_common = [&](const Option& option) {
    return std::all_of(trained.begin(), trained.end(), [&](const StudyRun* run) {
      return option_in(run->command, option.first) == option.second;
    });
  };
  ReportTable table{{"variant", "options in which it differs"}, {}};
  for (const StudyRun* run : variants) {
    std::string words;
    for (const Option& option : options_in(run->command)) {
      if (of_one_run.count(option.first) > 0 || is_common(option)) continue;
      words += (words.empty() ? "" : " ") + shown(option);
    }
    table.rows.push_back({run->variant, words.empty() ? "-" : words});
  }
  return table;
}

}  // namespace bf
