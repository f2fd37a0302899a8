#include "experiments/study_timing.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "experiments/sample.h"
#include "experiments/training_options.h"
#include "experiments/training_run.h"
#include "nn/atomic_file.h"
#include "nn/json_text.h"
#include "tensor/require.h"
#include "train/data_hash.h"
#include "train/input_file.h"
#include "train/report_json.h"
#include "train/run_folder.h"

namespace bf {
namespace {

using nlohmann::json;

// Enough texts for the mix of lengths, enough time for what disturbs the machine to even out.
constexpr Index timed_texts = 2000;
constexpr Index least_passes = 5, most_passes = 50;
constexpr double least_seconds = 2;

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

/// A model as its variant uses it, and the test rows as it reads them.
struct Candidate {
  TrainedModel trained;
  TokenizedSplit test, timed;
  std::vector<double> seconds = {};  ///< of each timed pass
  double joules = 0, gco2 = 0;       ///< of all of them
  std::string energy_source = {};

  double total_seconds() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
  bool timed_enough() const {
    return seconds.size() >= most_passes ||
           (seconds.size() >= least_passes && total_seconds() >= least_seconds);
  }
};

Candidate load_candidate(const PlannedRun& run, const Dataset& data) {
  Candidate candidate{load_run(run.folder), {}, {}};
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

/// Whether this is what `measured` wrote, of the model with these weights.
bool is_measured(const json& entry, const std::string& weights) {
  const auto number = [&](const char* field) {
    return entry.contains(field) && entry.at(field).is_number();
  };
  return entry.is_object() && entry.value("weights", json()) == weights &&
         entry.contains("energy") && number("seconds_per_1000_texts") && number("parameters") &&
         number("published_share");
}

/// {VARIANT: {...}}; empty without the file.
json read_known(const std::string& path) {
  if (!std::filesystem::exists(path)) return json::object();
  json known = parse_json(read_whole_file(path));
  require_data(known.is_object(), path, ": is not a JSON object");
  return known;
}

void time_pass(Candidate& candidate) {
  const Evaluation pass = evaluate(candidate.trained.model, candidate.timed);
  candidate.seconds.push_back(pass.seconds);
  candidate.joules += pass.energy.joules;
  candidate.gco2 += pass.energy.gco2;
  candidate.energy_source = pass.energy.source;
}

void time_candidates(std::vector<Candidate>& candidates) {
  for (Candidate& candidate : candidates) evaluate(candidate.trained.model, candidate.timed);
  const auto enough = [](const Candidate& candidate) { return candidate.timed_enough(); };
  while (!std::all_of(candidates.begin(), candidates.end(), enough)) {
    std::for_each(candidates.begin(), candidates.end(), time_pass);
    std::for_each(candidates.rbegin(), candidates.rend(), time_pass);
  }
}

json energy_of(const Candidate& candidate) {
  const double texts = static_cast<double>(candidate.seconds.size() * candidate.timed.size());
  return {{"joules_per_1000_texts", 1000 * candidate.joules / texts},
          {"gco2_per_1000_texts", 1000 * candidate.gco2 / texts},
          {"source", candidate.energy_source}};
}

/// Tells a model that was trained anew from the one that was measured.
std::string model_hash(const PlannedRun& run) {
  TrainedModel trained = load_run(run.folder);
  return weights_hash(*trained.model.net);
}

json measured(const std::vector<PlannedRun>& runs, const std::vector<std::string>& hashes) {
  const RunOptions options = training_options(runs.front().arguments());
  const Dataset data = load_data(options.data);
  std::vector<Candidate> candidates;
  candidates.reserve(runs.size());
  for (const PlannedRun& run : runs) candidates.push_back(load_candidate(run, data));
  time_candidates(candidates);
  json all;
  for (Index i = 0; i < runs.size(); ++i) {
    Model& model = candidates[i].trained.model;
    json& entry = all[runs[i].variant->name];
    entry = {{"weights", hashes[i]},
             {"seconds_per_1000_texts", 1000 * quantile(candidates[i].seconds, 0.5) /
                                            static_cast<double>(candidates[i].timed.size())},
             {"energy", energy_of(candidates[i])},
             {"parameters", model.net->parameter_count()},
             {"published_share", data.published_share}};
    if (!runs[i].variant->model_of.empty()) {
      entry["test"] = to_json(evaluate(model, candidates[i].test));
    }
  }
  return all;
}

}  // namespace

std::vector<StudyMeasurement> test_and_time(const std::vector<PlannedRun>& runs,
                                            const std::string& path, Progress& progress) {
  json known = read_known(path);
  std::vector<std::string> hashes;
  bool complete = true;
  for (const PlannedRun& run : runs) {
    hashes.push_back(model_hash(run));
    complete = complete && is_measured(known.value(run.variant->name, json()), hashes.back());
  }
  if (!complete) {
    progress.line(join_parts("timing  ", path));
    known = measured(runs, hashes);
    write_whole_file(path, known.dump(1) + '\n');
  }
  std::vector<StudyMeasurement> results;
  for (const PlannedRun& run : runs) {
    const json& entry = known.at(run.variant->name);
    results.push_back(
        {entry.contains("test") ? entry.at("test") : run_summary(run.folder).at("test"),
         entry.at("seconds_per_1000_texts"), entry.at("energy"), entry.at("parameters"),
         entry.at("published_share")});
  }
  return results;
}

}  // namespace bf
