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

/// "--heads 2"; of another model's folder its variant: that of a seed has the same seed.
std::string shown(const Option& option, const std::string& dataset) {
  if (option.second.empty()) return option.first;
  if (option.first != "--model" && option.first != "--prune-from") {
    return option.first + ' ' + option.second;
  }
  std::string name = std::filesystem::path(option.second).filename().string();
  const std::string prefix = dataset.substr(0, dataset.find(" (")) + '-';
  if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return option.first + ' ' + name.substr(0, name.rfind("-seed"));
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
  std::vector<const StudyRun*> trained;
  for (const StudyGroup& group : part.groups) {
    if (group.runs.front().trained()) trained.push_back(&group.runs.front());
  }
  const auto is_common = [&](const StudyRun& run, const Option& option) {
    return std::all_of(trained.begin(), trained.end(), [&](const StudyRun* other) {
      const std::vector<Option> options = options_in(other->command);
      return other->dataset != run.dataset ||
             std::find(options.begin(), options.end(), option) != options.end();
    });
  };
  ReportTable table{{"variant", "options in which it differs", "data sets"}, {}};
  for (const StudyGroup& group : part.groups) {
    const StudyRun& run = group.runs.front();
    std::string words;
    for (const Option& option : options_in(run.command)) {
      if (of_one_run.count(option.first) > 0 || is_common(run, option)) continue;
      words += (words.empty() ? "" : " ") + shown(option, run.dataset);
    }
    if (words.empty()) words = "-";
    const auto known = std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return row[0] == run.variant && row[1] == words;
    });
    if (known == table.rows.end()) {
      table.rows.push_back({run.variant, words, run.dataset});
    } else {
      known->back() += ", " + run.dataset;
    }
  }
  return table;
}

}  // namespace bf
