#include "experiments/study_options.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "experiments/comparison.h"
#include "nn/atomic_file.h"
#include "nn/json_text.h"
#include "tensor/require.h"
#include "train/report_json.h"

namespace bf {
namespace {

/// Options of a grid, which its single runs do not get or get otherwise.
const std::vector<std::string> grid_options = {"attention", "data-dir", "dataset", "datasets",
                                               "help",      "jobs",     "json",    "out",
                                               "part",      "resume",   "seed",    "seeds"};

Settings given_settings(const OptionValues& values) {
  Settings given;
  for (const auto& [name, value] : values) {
    const bool grid =
        std::find(grid_options.begin(), grid_options.end(), name) != grid_options.end();
    if (value.defaulted() || grid) continue;
    if (const auto* text = boost::any_cast<std::string>(&value.value())) {
      given.push_back({name, *text});
    } else if (const auto* flag = boost::any_cast<bool>(&value.value()); flag && *flag) {
      given.push_back({name, ""});
    }
  }
  return given;
}

std::vector<std::uint64_t> seeds_of(const StudyOptions& options) {
  std::vector<std::uint64_t> seeds;
  for (const std::string& text : options.seeds) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    if (!digits || text.size() > 18) {
      throw UsageError(join_parts("--seeds: expected whole numbers, got \"", text, '"'));
    }
    seeds.push_back(std::stoull(text));
    if (std::find(seeds.begin(), seeds.end() - 1, seeds.back()) != seeds.end() - 1) {
      throw UsageError(join_parts("--seeds: ", text, " is given twice"));
    }
  }
  if (seeds.empty()) seeds.push_back(options.run.seed);
  return seeds;
}

std::vector<Settings> data_sets_of(const StudyOptions& options) {
  const std::string& folder = options.run.data.data_dir;
  std::vector<Settings> all;
  const bool several = !options.datasets.empty();
  for (const std::string& name :
       several ? options.datasets : std::vector<std::string>{options.run.data.name}) {
    all.push_back({{"dataset", name}});
    if (!folder.empty()) {
      all.back().push_back({"data-dir", several ? join_parts(folder, '/', name) : folder});
    }
  }
  return all;
}

std::string temporary_folder() {
  return (std::filesystem::temp_directory_path() / join_parts("bf-study-", getpid())).string();
}

/// Removes the study's folder at the end, however it ends, if it was a temporary one.
class TemporaryResults {
 public:
  explicit TemporaryResults(const std::string& folder, bool temporary)
      : folder_(temporary ? folder : "") {}
  TemporaryResults(const TemporaryResults&) = delete;
  TemporaryResults& operator=(const TemporaryResults&) = delete;
  ~TemporaryResults() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

 private:
  std::string folder_;
};

}  // namespace

OptionList study_option_list(StudyOptions& options) {
  OptionList list("Options");
  RunOptions& run = options.run;
  add_data_options(list, run.data);
  add_texts(list, "datasets", options.datasets,
            "several data sets instead of --dataset, each in DATA-DIR/NAME");
  add_seed(list, "seed", run.seed, "of weights, order of the rows, dropout and noise");
  add_texts(list, "seeds", options.seeds, "several seeds instead of --seed; means are shown");
  add_count(list, "jobs", options.jobs, "trainings at the same time; times are taken afterwards",
            1);
  add_flag(list, "resume", options.resume, "go on in --out: what is finished there is kept");
  add_model_options(list, run);
  add_training_options(list, run);
  add_budget_options(list, run);
  return list;
}

Study study_of(StudyOptions& options, const OptionValues& values, const std::string& part) {
  options.run.resolve();
  check_list("--datasets", options.datasets, dataset_names());
  Study study;
  study.part = part;
  study.base = given_settings(values);
  study.data_sets = data_sets_of(options);
  study.seeds = seeds_of(options);
  study.trainer = sibling_program("bf-train");
  study.jobs = options.jobs;
  study.out = options.run.out.empty() ? temporary_folder() : options.run.out;
  require_data(
      options.resume || !std::filesystem::exists(study.out) || std::filesystem::is_empty(study.out),
      study.out, ": holds results already; give --resume or another --out");
  return study;
}

void run_and_report(const Study& study, const StudyOptions& options, const OptionValues& values) {
  const TemporaryResults temporary(study.out, options.run.out.empty());
  Progress progress = Progress::on_stderr();
  const std::vector<nlohmann::json> results = run_study(study, progress);
  progress.clear();
  const std::string text = comparison_text(results);
  write_whole_file(study.out + "/results.jsonl", json_lines(results));
  write_whole_file(study.out + "/results.txt", text);
  if (options.run.json) {
    const nlohmann::json whole = {{"models", results},
                                  {"options", options_json(values)},
                                  {"environment", environment_json()}};
    std::cout << json_line(whole) << '\n';
  } else {
    std::cout << text;
  }
}

void check_list(const char* option, const std::vector<std::string>& given,
                const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  for (auto name = given.begin(); name != given.end(); ++name) {
    if (std::find(known.begin(), known.end(), *name) == known.end()) {
      throw UsageError(join_parts(option, ": expected names of ", all, "; got \"", *name, '"'));
    }
    if (std::find(given.begin(), name, *name) != name) {
      throw UsageError(join_parts(option, ": \"", *name, "\" is given twice"));
    }
  }
}

}  // namespace bf
