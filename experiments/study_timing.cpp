#include "experiments/study_timing.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "experiments/training_options.h"
#include "experiments/training_run.h"
#include "nn/atomic_file.h"
#include "tensor/require.h"
#include "train/report_json.h"
#include "train/run_folder.h"

namespace bf {
namespace {

using nlohmann::json;

constexpr Index timed_texts = 2000;
constexpr Index timed_passes = 5;

/// Evenly spaced examples: the same mix of lengths in fewer texts.
TokenizedSplit thinned(const TokenizedSplit& split, Index most) {
  const Index count = std::min(most, split.size());
  TokenizedSplit part;
  for (Index i = 0; i < count; ++i) {
    part.tokens.push_back(split.tokens[i * split.size() / count]);
    part.labels.push_back(split.labels[i * split.size() / count]);
  }
  return part;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// A model as its variant uses it, and the test rows as it reads them.
struct Candidate {
  TrainedModel trained;
  TokenizedSplit test, timed;
  std::vector<double> seconds;
};

Candidate load_candidate(const PlannedRun& run, const Dataset& data) {
  Candidate candidate{load_run(run.folder), {}, {}, {}};
  BudgetFormerClassifier* budget = candidate.trained.model.budget;
  const Variant& variant = *run.variant;
  if (variant.budget != "learned" || variant.gate != "learned") {
    require(budget != nullptr, "study: \"", variant.name, "\" needs a model with budgets");
    if (variant.budget != "learned") budget->override_budget(std::stod(variant.budget));
    budget->use_random_gate(variant.gate == "random");
  }
  candidate.test = tokenize(*candidate.trained.tokenizer, data.test, candidate.trained.max_length);
  candidate.timed = thinned(candidate.test, timed_texts);
  return candidate;
}

/// {VARIANT: {"seconds_per_1000_texts", "test"}}; empty without the file.
json read_known(const std::string& path) {
  std::ifstream file(path);
  if (!file) return json::object();
  json known = json::parse(file, nullptr, false);
  require_data(known.is_object(), path, ": is not a JSON object");
  return known;
}

json summary_test(const PlannedRun& run) {
  std::ifstream file(run.folder + "/summary.json");
  const json summary = json::parse(file, nullptr, false);
  require_data(summary.is_object() && summary.contains("test"), run.folder,
               "/summary.json: holds no test");
  return summary["test"];
}

void time_candidates(std::vector<Candidate>& candidates) {
  for (Index pass = 0; pass <= timed_passes; ++pass) {
    for (Candidate& candidate : candidates) {
      const double taken = evaluate(candidate.trained.model, candidate.timed).seconds;
      if (pass > 0) candidate.seconds.push_back(taken);
    }
  }
}

json measured(const std::vector<PlannedRun>& runs) {
  const RunOptions options = training_options(runs.front().arguments());
  const Dataset data = load_data(options.data);
  std::vector<Candidate> candidates;
  for (const PlannedRun& run : runs) candidates.push_back(load_candidate(run, data));
  time_candidates(candidates);
  json all;
  for (Index i = 0; i < runs.size(); ++i) {
    json& entry = all[runs[i].variant->name];
    entry["seconds_per_1000_texts"] =
        1000 * median(candidates[i].seconds) / static_cast<double>(candidates[i].timed.size());
    entry["test"] = runs[i].variant->model_of.empty()
                        ? summary_test(runs[i])
                        : to_json(evaluate(candidates[i].trained.model, candidates[i].test));
  }
  return all;
}

}  // namespace

StudyTimes test_and_time(const std::vector<PlannedRun>& runs, const std::string& path,
                         Progress& progress) {
  json known = read_known(path);
  const bool complete = std::all_of(runs.begin(), runs.end(), [&](const PlannedRun& run) {
    return known.contains(run.variant->name);
  });
  if (!complete) {
    progress.line(join_parts("timing  ", path));
    known = measured(runs);
    AtomicFile file(path);
    file.write(known.dump(1) + '\n');
    file.commit();
  }
  StudyTimes times;
  for (const PlannedRun& run : runs) {
    const json& entry = known[run.variant->name];
    times.tests.push_back(entry.at("test"));
    times.seconds_per_1000.push_back(entry.at("seconds_per_1000_texts"));
  }
  return times;
}

}  // namespace bf
