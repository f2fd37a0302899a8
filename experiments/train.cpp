// bf-train: trains one model and keeps it in a run folder.

#include <iostream>
#include <optional>

#include "experiments/evaluation_text.h"
#include "experiments/pruning_options.h"
#include "experiments/training_options.h"
#include "experiments/training_run.h"
#include "nn/json_text.h"
#include "tensor/require.h"
#include "train/report_json.h"
#include "train/run_folder.h"

namespace {

using namespace bf;

constexpr const char* about =
    "bf-train: trains a text classifier with multi-head attention or BudgetFormer.\n"
    "The best epoch is chosen on the validation rows; the test rows are seen once, at the end.\n"
    "For BudgetFormer only epochs count whose price of heads has reached its full height.\n"
    "With --prune-from it begins with the most important heads of a trained mha.\n"
    "Without --out the results are printed and nothing is kept.";

int run(int argc, char** argv) {
  RunOptions options;
  const OptionList list = training_option_list(options);
  OptionValues values;
  if (!parse_options(argc, argv, about, list, &values)) return 0;
  std::optional<TrainedModel> source;
  if (!options.prune_from.empty()) source = load_prune_source(options, values);
  options.resolve();
  if (!options.out.empty() && !options.resume) RunFolder::require_free(options.out);

  Progress progress = Progress::on_stderr();
  const TokenizedData data = source ? load_tokenized(options.data, *source, progress)
                                    : load_tokenized(options.data, options.tokenizer, progress);
  nlohmann::json recorded = options_json(values);
  std::optional<Model> start;
  if (source) start = pruned_model(*source, data.train, options, recorded, progress);
  const TrainingRun trained = train_run(data, options, options.model_for(data),
                                        join_parts(data.name, ' ', options.model.attention),
                                        options.out, recorded, progress, start ? &*start : nullptr);
  progress.clear();
  if (options.json) {
    std::cout << json_line(trained.summary) << '\n';
  } else {
    std::cout << evaluation_text(trained.test, data.class_names, options.model.transformer.heads);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return bf::run_main(argc, argv, run); }
