#include "experiments/study.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "experiments/study_timing.h"
#include "experiments/table.h"
#include "experiments/training_options.h"
#include "nn/atomic_file.h"
#include "tensor/require.h"

namespace bf {
namespace {

using nlohmann::json;

/// Options of bf-train that do not change the model.
const std::vector<std::string> free_options = {"checkpoint-every", "json",   "log-every", "out",
                                               "resume",           "threads"};

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

bool finished(const PlannedRun& run) {
  return std::filesystem::exists(run.folder + "/summary.json");
}

json read_json(const std::string& path) {
  std::ifstream file(path);
  json value = json::parse(file, nullptr, false);
  require_data(value.is_object(), path, ": is not a JSON object");
  return value;
}

/// A finished run stands for these settings only if it was made with them.
void require_same_options(const PlannedRun& run) {
  OptionValues values;
  training_options(run.arguments(), &values);
  const json wanted = options_json(values);
  const json trained = read_json(run.folder + "/config.json").value("options", json::object());
  for (const auto& [name, value] : wanted.items()) {
    if (std::find(free_options.begin(), free_options.end(), name) != free_options.end()) continue;
    require_data(!trained.contains(name) || trained[name] == value, run.folder,
                 ": was trained with --", name, ' ', trained[name].dump(), " and not ",
                 value.dump(), "; give another --out");
  }
}

void train_all(const Study& study, Progress& progress) {
  std::vector<PlannedRun> open;
  for (PlannedRun& run : training_runs(study)) {
    if (finished(run)) {
      require_same_options(run);
    } else {
      open.push_back(std::move(run));
    }
  }
  // Pruned models begin with what the others end with: a second round.
  for (const bool pruned : {false, true}) {
    std::vector<CommandLine> commands;
    std::vector<std::string> folders;
    for (const PlannedRun& run : open) {
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

std::string command_of(const PlannedRun& run) {
  CommandLine command;
  if (run.variant->model_of.empty()) {
    command = run.arguments();
    command.insert(command.begin(), "build/experiments/bf-train");
    return shell_text(command);
  }
  command = {"build/experiments/bf-evaluate", "--model", run.folder};
  for (const char* name : {"dataset", "data-dir", "difficulty", "rows", "encoding"}) {
    const std::string value = value_of(run.settings, name);
    if (!value.empty()) command.insert(command.end(), {std::string("--") + name, value});
  }
  if (run.variant->budget != "learned") {
    command.insert(command.end(), {"--budget", run.variant->budget});
  }
  if (run.variant->gate != "learned") command.insert(command.end(), {"--gate", run.variant->gate});
  return shell_text(command);
}

json result_of(const Study& study, const PlannedRun& run, const json& test, double seconds) {
  const json summary = read_json(run.folder + "/summary.json");
  const json config = read_json(run.folder + "/config.json");
  const json& model = config.at("model").at("transformer");
  const json& rows = config.at("rows");
  const json& training = summary.at("training");
  return {{"part", study.part},
          {"dataset", run.dataset},
          {"variant", run.variant->name},
          {"seed", run.seed},
          {"command", command_of(run)},
          {"heads", model.at("heads")},
          {"layers", model.at("layers")},
          {"training_rows", rows.at("train").get<double>() + rows.at("validation").get<double>()},
          {"test", test},
          {"training",
           {{"best_epoch", training.at("best_epoch")},
            {"steps", training.at("steps")},
            {"train_seconds", training.at("train_seconds")},
            {"epochs", short_epochs(training)}}},
          {"seconds_per_1000_texts", seconds}};
}

/// Rows of the training splits as published; of SNLI those with a gold label.
const std::map<std::string, double> published_rows = {{"ag_news", 120000}, {"dbpedia", 560000},
                                                      {"imdb", 25000},     {"snli", 549367},
                                                      {"sst2", 67349},     {"yelp_full", 650000}};

/// Names a data set of which clearly less than the published training split is at hand so that
/// nobody takes its results for those of the whole: "ag_news (44 %)".
void name_partial(std::vector<json>& results, std::size_t first) {
  if (first == results.size()) return;
  const auto published = published_rows.find(results[first].at("dataset").get<std::string>());
  if (published == published_rows.end()) return;
  double most = 0;
  for (std::size_t i = first; i < results.size(); ++i) {
    most = std::max(most, results[i].at("training_rows").get<double>());
  }
  const double share = most / published->second;
  if (share > 0.95) return;
  const std::string name =
      join_parts(published->first, " (", fixed_digits(100 * share, share < 0.1 ? 1 : 0), " %)");
  for (std::size_t i = first; i < results.size(); ++i) results[i]["dataset"] = name;
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
  for (const auto& [name, value] : settings) {
    line.insert(line.end(), {"--" + name, value});
  }
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
    const std::size_t first = results.size();
    for (const std::uint64_t seed : study.seeds) {
      const std::vector<PlannedRun> runs = uses(study, data, seed);
      const std::string path =
          join_parts(study.out, '/', study.part, '-', runs.front().dataset, "-seed", seed, ".json");
      const StudyTimes times = test_and_time(runs, path, progress);
      for (Index i = 0; i < runs.size(); ++i) {
        results.push_back(result_of(study, runs[i], times.tests[i], times.seconds_per_1000[i]));
      }
    }
    name_partial(results, first);
  }
  return results;
}

}  // namespace bf
