#include "experiments/study.h"

#include <algorithm>

#include "experiments/study_timing.h"
#include "experiments/table.h"
#include "tensor/require.h"
#include "train/run_folder.h"

namespace bf {
namespace {

using nlohmann::json;

/// Options of bf-train that bf-evaluate knows, too: which rows there are, and what computes.
const std::vector<std::string> shared_options = {
    "class-names",   "data-dir",      "data-seed",    "dataset",   "delimiter",
    "difficulty",    "encoding",      "label-column", "no-header", "rows",
    "second-column", "skip-bad-rows", "text-columns", "threads",   "validation-fraction"};

const Variant& variant_named(const Study& study, const std::string& name) {
  const auto found = std::find_if(study.variants.begin(), study.variants.end(),
                                  [&](const Variant& variant) { return variant.name == name; });
  require(found != study.variants.end(), "study: no variant is called \"", name, '"');
  return *found;
}

std::string folder_of(const Study& study, const std::string& dataset, const std::string& variant,
                      std::uint64_t seed) {
  return join_parts(study.out, '/', dataset, '-', variant, "-seed", seed);
}

std::string value_of(const Settings& settings, const std::string& name) {
  for (const auto& [key, value] : settings) {
    if (key == name) return value;
  }
  return "";
}

PlannedRun training_run(const Study& study, const Settings& data, const Variant& variant,
                        std::uint64_t seed) {
  PlannedRun run;
  run.dataset = value_of(data, "dataset");
  run.variant = &variant;
  run.seed = seed;
  run.folder = folder_of(study, run.dataset, variant.name, seed);
  run.settings = merged(merged(study.base, data), variant.settings);
  if (!variant.pruned_from.empty()) {
    run.settings = merged(
        run.settings, {{"prune-from", folder_of(study, run.dataset, variant.pruned_from, seed)}});
  }
  run.settings = merged(run.settings, {{"seed", std::to_string(seed)}});
  return run;
}

void train_all(const Study& study, Progress& progress) {
  const std::vector<PlannedRun> runs = training_runs(study);
  // Pruned models begin with what the others end with: a second round.
  for (const bool pruned : {false, true}) {
    std::vector<CommandLine> commands;
    std::vector<std::string> folders;
    for (const PlannedRun& run : runs) {
      if (run.variant->pruned_from.empty() == pruned) continue;
      CommandLine command = run.arguments();
      command.insert(command.begin(), study.trainer);
      command.push_back("--resume");
      commands.push_back(std::move(command));
      folders.push_back(run.folder);
    }
    run_programs(commands, study.jobs, [&](Index number) {
      progress.line(join_parts("run ", number + 1, " of ", commands.size(), "  ", folders[number]));
    });
  }
}

/// What the epochs of a run looked like, without the details of each evaluation.
json short_epochs(const json& training) {
  json epochs = json::array();
  for (const json& epoch : training.at("epochs")) {
    epochs.push_back({{"epoch", epoch.at("epoch")},
                      {"train_loss", epoch.at("train_loss")},
                      {"validation_accuracy", epoch.at("validation").at("accuracy")},
                      {"validation_soft_accuracy", epoch.at("validation_soft_accuracy")},
                      {"s_mean", epoch.at("validation").at("s_mean")}});
  }
  return epochs;
}

/// Nobody shall take the results of a part of a data set for those of the whole: " (44 %)".
std::string share_text(double share) {
  if (share > 0.95) return "";
  return join_parts(" (", fixed_digits(100 * share, share < 0.1 ? 1 : 0), " %)");
}

void add_settings(const Settings& settings, CommandLine& line) {
  for (const auto& [name, value] : settings) {
    line.push_back("--" + name);
    if (!value.empty()) line.push_back(value);
  }
}

std::string command_of(const PlannedRun& run) {
  CommandLine command;
  if (run.variant->model_of.empty()) {
    command = run.arguments();
    command.insert(command.begin(), "build/experiments/bf-train");
    return shell_text(command);
  }
  command = {"build/experiments/bf-evaluate", "--model", run.folder};
  Settings shared;
  for (const auto& setting : run.settings) {
    const auto known = std::find(shared_options.begin(), shared_options.end(), setting.first);
    if (known != shared_options.end()) shared.push_back(setting);
  }
  add_settings(shared, command);
  if (run.variant->budget != "learned") {
    command.insert(command.end(), {"--budget", run.variant->budget});
  }
  if (run.variant->gate != "learned") command.insert(command.end(), {"--gate", run.variant->gate});
  return shell_text(command);
}

json result_of(const Study& study, const PlannedRun& run, const StudyMeasurement& measured) {
  const json summary = run_summary(run.folder), config = run_config(run.folder);
  const json& model = config.at("model").at("transformer");
  const json& training = summary.at("training");
  return {{"part", study.part},
          {"dataset", run.dataset + share_text(measured.published_share)},
          {"variant", run.variant->name},
          {"reference", run.variant->reference},
          {"trained", run.variant->model_of.empty()},
          {"seed", run.seed},
          {"command", command_of(run)},
          {"heads", model.at("heads")},
          {"layers", model.at("layers")},
          {"parameters", measured.parameters},
          {"training_rows", config.at("rows").at("train")},
          {"class_names", summary.at("class_names")},
          {"test", measured.test},
          {"training",
           {{"best_epoch", training.at("best_epoch")},
            {"steps", training.at("steps")},
            {"train_seconds", training.at("train_seconds")},
            {"epochs", short_epochs(training)}}},
          {"seconds_per_1000_texts", measured.seconds_per_1000},
          {"energy", measured.energy}};
}

/// The variants of one data set and seed, with the folders of the models that they use.
std::vector<PlannedRun> uses(const Study& study, const Settings& data, std::uint64_t seed) {
  std::vector<PlannedRun> all;
  for (const Variant& variant : study.variants) {
    const bool own = variant.model_of.empty();
    PlannedRun run =
        training_run(study, data, own ? variant : variant_named(study, variant.model_of), seed);
    run.variant = &variant;
    all.push_back(std::move(run));
  }
  return all;
}

}  // namespace

Settings merged(Settings base, const Settings& changes) {
  for (const auto& change : changes) {
    const auto place = std::find_if(base.begin(), base.end(),
                                    [&](const auto& old) { return old.first == change.first; });
    if (place == base.end()) {
      base.push_back(change);
    } else {
      place->second = change.second;
    }
  }
  return base;
}

CommandLine PlannedRun::arguments() const {
  CommandLine line;
  add_settings(settings, line);
  line.insert(line.end(), {"--out", folder});
  return line;
}

std::vector<PlannedRun> training_runs(const Study& study) {
  std::vector<PlannedRun> first, pruned;
  for (const Settings& data : study.data_sets) {
    for (const std::uint64_t seed : study.seeds) {
      for (const Variant& variant : study.variants) {
        const std::string& other =
            variant.model_of.empty() ? variant.pruned_from : variant.model_of;
        if (!other.empty()) variant_named(study, other);
        if (!variant.model_of.empty()) continue;
        (variant.pruned_from.empty() ? first : pruned)
            .push_back(training_run(study, data, variant, seed));
      }
    }
  }
  first.insert(first.end(), pruned.begin(), pruned.end());
  return first;
}

std::vector<json> run_study(const Study& study, Progress& progress) {
  train_all(study, progress);
  std::vector<json> results;
  for (const Settings& data : study.data_sets) {
    for (const std::uint64_t seed : study.seeds) {
      const std::vector<PlannedRun> runs = uses(study, data, seed);
      const std::string path =
          join_parts(study.out, '/', study.part, '-', runs.front().dataset, "-seed", seed, ".json");
      const auto measured = test_and_time(runs, path, progress);
      for (Index i = 0; i < runs.size(); ++i) {
        results.push_back(result_of(study, runs[i], measured[i]));
      }
    }
  }
  return results;
}

}  // namespace bf
