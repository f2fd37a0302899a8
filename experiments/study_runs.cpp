#include "experiments/study_runs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "experiments/run_record.h"
#include "experiments/sample.h"
#include "tensor/printable.h"
#include "tensor/require.h"

namespace bf {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Where the number at the end begins; the size of the text when it does not end in one.
std::size_t number_begin(const std::string& variant) {
  const std::size_t dash = variant.rfind('-');
  const std::size_t begin = dash == std::string::npos ? variant.size() : dash + 1;
  double value = 0;
  const char* last = variant.data() + variant.size();
  const auto [end, error] = std::from_chars(variant.data() + begin, last, value);
  return error == std::errc{} && end == last ? begin : variant.size();
}

}  // namespace

bool StudyRun::budgets() const { return std::isfinite(test("layers/0/heads_mean")); }

double StudyRun::heads_mean() const {
  if (!budgets()) return number_at(record, "/heads");
  std::vector<double> means;
  for (const auto& layer : record["test"]["layers"]) {
    means.push_back(number_at(layer, "/heads_mean"));
  }
  return mean_of(means);
}

bool StudyRun::trained() const { return text_at(record, "/trained") != "false"; }

double StudyRun::test(const std::string& field) const {
  return number_at(record, "/test/" + field);
}

double accuracy_of(const StudyRun& run) { return run.test("accuracy"); }
double executed_of(const StudyRun& run) { return run.test("executed_flops_per_text"); }

double seconds_of(const StudyRun& run) {
  const double stated = number_at(run.record, "/seconds_per_1000_texts");
  return std::isfinite(stated) ? stated : 1000 * run.test("seconds") / run.test("examples");
}

double heads_of(const StudyRun& run) { return run.heads_mean(); }

std::string StudyGroup::reference_name() const {
  return runs.empty() ? "" : text_at(runs.front().record, "/reference");
}

std::vector<double> StudyGroup::values(const Measure& measure) const {
  std::vector<double> result;
  for (const StudyRun& run : runs) result.push_back(measure(run));
  return result;
}

double StudyGroup::mean(const Measure& measure) const { return mean_of(values(measure)); }

std::vector<std::string> StudyPart::datasets() const {
  std::vector<std::string> names;
  for (const StudyGroup& group : groups) {
    if (std::find(names.begin(), names.end(), group.dataset) == names.end()) {
      names.push_back(group.dataset);
    }
  }
  return names;
}

const StudyGroup* StudyPart::find(const std::string& dataset, const std::string& variant) const {
  for (const StudyGroup& group : groups) {
    if (group.dataset == dataset && group.variant == variant) return &group;
  }
  return nullptr;
}

std::vector<const StudyGroup*> StudyPart::family(const std::string& dataset,
                                                 const std::string& of) const {
  std::vector<const StudyGroup*> members;
  for (const StudyGroup& group : groups) {
    const bool member = family_of(group.variant) == of && group.variant != of;
    if (group.dataset == dataset && member) members.push_back(&group);
  }
  return members;
}

const StudyGroup* StudyPart::reference(const StudyGroup& group) const {
  const std::string named = group.reference_name();
  if (!named.empty()) return find(group.dataset, named);
  const bool compared_with =
      std::any_of(groups.begin(), groups.end(), [&](const StudyGroup& other) {
        return other.dataset == group.dataset && other.reference_name() == group.variant;
      });
  return find(group.dataset, compared_with ? group.variant : "mha");
}

StudyPart read_study_part(const std::string& folder, const std::string& name) {
  const std::string file = join_parts(folder, '/', name, ".jsonl");
  std::vector<Index> lines;
  std::vector<nlohmann::json> records = read_json_lines(file, &lines);
  return study_part(name, std::move(records), file, lines);
}

StudyPart study_part(const std::string& name, std::vector<nlohmann::json> records,
                     const std::string& file, std::vector<Index> lines) {
  for (Index i = lines.size(); i < records.size(); ++i) lines.push_back(i + 1);
  StudyPart part{name, {}};
  std::vector<StudyGroup>& groups = part.groups;
  std::map<std::string, Index> seen;
  for (Index i = 0; i < records.size(); ++i) {
    nlohmann::json& record = records[i];
    StudyRun run;
    run.dataset = text_at(record, "/dataset"), run.variant = text_at(record, "/variant");
    require_data(!run.dataset.empty() && !run.variant.empty(), file, ':', lines[i],
                 ": has no \"dataset\" or no \"variant\"");
    const std::string label = join_parts(run.dataset, ", ", run.variant, ", seed ",
                                         text_at(record, "/seed", "not recorded"));
    const auto [first, is_new] = seen.emplace(label, lines[i]);
    require_data(is_new, file, ':', lines[i], ": repeats line ", first->second, ": ",
                 shortened(label, 200));
    run.command = text_at(record, "/command", "(no command recorded)");
    run.seed = number_at(record, "/seed");
    run.record = std::move(record);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const StudyGroup& g) {
      return g.dataset == run.dataset && g.variant == run.variant;
    });
    if (group == groups.end()) {
      groups.push_back({run.dataset, run.variant, {}});
      group = std::prev(groups.end());
    }
    group->runs.push_back(std::move(run));
  }
  // Data set by data set, in the order of their first runs.
  std::vector<StudyGroup> sorted;
  for (const std::string& dataset : part.datasets()) {
    for (StudyGroup& group : groups) {
      if (group.dataset == dataset) sorted.push_back(group);
    }
  }
  part.groups = std::move(sorted);
  return part;
}

std::vector<std::pair<double, double>> beside(const StudyGroup& group, const StudyGroup* reference,
                                              const Measure& measure) {
  std::vector<std::pair<double, double>> result;
  if (reference == nullptr) return result;
  for (const StudyRun& run : group.runs) {
    double other = nothing;
    for (const StudyRun& candidate : reference->runs) {
      if (candidate.seed == run.seed) other = measure(candidate);
    }
    if (!std::isfinite(other)) other = reference->mean(measure);
    result.emplace_back(measure(run), other);
  }
  return result;
}

std::vector<double> differences(const StudyGroup& group, const StudyGroup* reference,
                                const Measure& measure) {
  std::vector<double> result;
  for (const auto& [own, other] : beside(group, reference, measure)) result.push_back(own - other);
  return result;
}

std::vector<double> ratios(const StudyGroup& group, const StudyGroup* reference,
                           const Measure& measure) {
  std::vector<double> result;
  for (const auto& [own, other] : beside(group, reference, measure)) result.push_back(own / other);
  return result;
}

double number_in(const std::string& variant) {
  const std::size_t begin = number_begin(variant);
  double value = nothing;
  std::from_chars(variant.data() + begin, variant.data() + variant.size(), value);
  return value;
}

std::string family_of(const std::string& variant) {
  const std::size_t begin = number_begin(variant);
  return begin == variant.size() ? variant : variant.substr(0, begin - 1);
}

}  // namespace bf
