#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/options.h"
#include "train/energy.h"
#include "train/loop.h"
#include "train/tokenized_data.h"

namespace bf {

/// The options of everything that trains: one struct and one place for the defaults, so that
/// bf-train and bf-compare mean the same by the same command line.
struct RunOptions {
  DatasetOptions data;
  TokenizerConfig tokenizer;
  ModelConfig model;
  TrainingConfig training;
  std::string estimator, weighting, pool;  ///< as words; resolve() turns them into model.budget
  std::uint64_t seed = 1;
  Index threads = 0;  ///< 0 = one per processor
  EnergyConfig energy;
  std::string prune_from;  ///< run folder of a trained mha; empty = begin with fresh weights
  Index log_every = 100;
  std::string out;
  bool resume = false;            ///< go on with what `out` holds
  Index checkpoint_every = 1000;  ///< updates; 0 = at the end of each epoch only
  bool json = false;

  RunOptions();
  /// Checks what concerns several options and fills in what follows from others: the seeds, the
  /// length, the words. Sets the number of threads and how energy is counted. Throws UsageError
  /// naming the option.
  void resolve();
  /// The model for this data set.
  ModelConfig model_for(const TokenizedData& data) const;
};

/// --dim, --layers, --heads, --head-width, --ffn, --dropout, --positions, --tokenizer,
/// --vocab-size, --min-count, --max-len
void add_model_options(OptionList& options, RunOptions& run);
/// --epochs, --max-steps, --batch, --accumulate, --pass-tokens, --lr, --warmup, --lr-decay,
/// --lr-floor,
/// --weight-decay, --clip, --label-smoothing, --patience, --on-nonfinite, --threads, --log-every,
/// --out, --json, and those of add_energy_options()
void add_training_options(OptionList& options, RunOptions& run);
/// --resume, --checkpoint-every
void add_resume_options(OptionList& options, RunOptions& run);
/// --estimator, --weighting, --budget-min, --budget-max, --hinge, --logit-penalty, --head-price,
/// --entropy, --tau-start, --tau-end, --noise, --budget-noise, --dense, --price-ramp, --explore,
/// --budget-jitter, --sparse-after,
/// --controller-pool, --controller-lr, --fixed-budget
void add_budget_options(OptionList& options, RunOptions& run);

/// All options as they were given, or their defaults.
nlohmann::json options_json(const OptionValues& values);

/// --watts-per-core, --grid-gco2
void add_energy_options(OptionList& options, EnergyConfig& energy);

/// --threads, for binaries that do not train; 0 = one per processor.
void add_threads_option(OptionList& options, Index& threads);
void use_threads(Index threads);

}  // namespace bf
