#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/model_options.h"
#include "train/progress.h"
#include "train/run_folder.h"

namespace bf {

/// --prune-from
void add_prune_option(OptionList& options, RunOptions& run);

/// The trained model of --prune-from. Its tokenizer and its sizes but --heads replace those of
/// `run`, its dropout too unless that was given. Throws UsageError when --heads is missing or above
/// the model's, when another size, the attention or the tokenizer was given and disagrees, when
/// the model has budgets, and when the data is parted otherwise than in its training; and as
/// load_run() does.
TrainedModel load_prune_source(RunOptions& run, const OptionValues& values);

/// `source` with its most important heads alone, as many as run.model says; which they are goes to
/// `progress` and, as "kept-heads" and "head-importance", into `options`.
Model pruned_model(TrainedModel& source, const TokenizedSplit& train, const RunOptions& run,
                   nlohmann::json& options, Progress& progress);

}  // namespace bf
