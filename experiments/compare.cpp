// bf-compare: trains multi-head attention and BudgetFormer on the same data and prints what each
// costs and yields.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "experiments/comparison.h"
#include "experiments/training_run.h"
#include "nn/atomic_file.h"
#include "tensor/require.h"
#include "train/report_json.h"
#include "train/run_folder.h"

namespace {

using namespace bf;

constexpr const char* about =
    "bf-compare: multi-head attention against BudgetFormer, side by side.\n"
    "The best epoch is chosen on the validation rows; the test rows are seen once, at the end.\n"
    "For BudgetFormer only epochs count whose price of heads has reached its full height.";

struct CompareOptions {
  RunOptions run;
  std::vector<std::string> datasets, seeds, attentions = {"mha", "budget"};
};

std::vector<std::uint64_t> seeds_of(const CompareOptions& options) {
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

std::vector<DatasetOptions> datasets_of(const CompareOptions& options) {
  if (options.datasets.empty()) return {options.run.data};
  std::vector<DatasetOptions> all;
  for (const std::string& name : options.datasets) {
    DatasetOptions data = options.run.data;
    data.name = name;
    if (!data.data_dir.empty()) data.data_dir += '/' + name;
    all.push_back(data);
  }
  return all;
}

/// Every value of a list is one of `known` and stands there once.
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

void check_folders(const CompareOptions& options, const std::vector<std::uint64_t>& seeds) {
  if (options.run.out.empty()) return;
  for (const char* name : {"/comparison.json", "/comparison.txt"}) {
    require_data(!std::filesystem::exists(options.run.out + name), options.run.out,
                 ": holds a comparison already (", name + 1, "); give another --out");
  }
  for (const DatasetOptions& data : datasets_of(options)) {
    for (const std::string& attention : options.attentions) {
      for (const std::uint64_t seed : seeds) {
        RunFolder::require_free(comparison_folder(options.run.out, data.name, attention, seed));
      }
    }
  }
}

void write_file(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

int run(int argc, char** argv) {
  CompareOptions options;
  OptionList list("Options");
  add_data_options(list, options.run.data);
  add_texts(list, "datasets", options.datasets,
            "several data sets instead of --dataset, each in DATA-DIR/NAME");
  add_seed(list, "seed", options.run.seed, "of weights, order of the rows, dropout and noise");
  add_texts(list, "seeds", options.seeds, "several seeds instead of --seed; means are shown");
  add_texts(list, "attention", options.attentions, "models to compare, the reference first");
  add_model_options(list, options.run);
  add_training_options(list, options.run);
  add_budget_options(list, options.run);
  OptionValues values;
  if (!parse_options(argc, argv, about, list, &values)) return 0;
  options.run.resolve();
  if (options.attentions.empty()) throw UsageError("--attention: expected at least one name");
  check_list("--attention", options.attentions, attention_names());
  check_list("--datasets", options.datasets, dataset_names());
  const std::vector<std::uint64_t> seeds = seeds_of(options);
  check_folders(options, seeds);

  Progress progress = Progress::on_stderr();
  std::vector<ComparedModel> results;
  for (const DatasetOptions& source : datasets_of(options)) {
    const TokenizedData data = load_tokenized(source, options.run.tokenizer, progress);
    for (const std::uint64_t seed : seeds) {
      auto models = compare_models(data, options.run, seed, options.attentions,
                                   options_json(values), progress);
      std::move(models.begin(), models.end(), std::back_inserter(results));
    }
  }
  progress.clear();
  const std::string text = comparison_text(results);
  const nlohmann::json whole = {{"models", comparison_json(results)},
                                {"options", options_json(values)},
                                {"environment", environment_json()}};
  if (!options.run.out.empty()) {
    write_file(options.run.out + "/comparison.json", whole.dump(2) + '\n');
    write_file(options.run.out + "/comparison.txt", text);
  }
  std::cout << (options.run.json ? whole.dump() + '\n' : text);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return bf::run_main(argc, argv, run); }
