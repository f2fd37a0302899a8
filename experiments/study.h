#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/model_options.h"
#include "experiments/process.h"
#include "train/progress.h"

namespace bf {

/// Options of bf-train with their values, without dashes: {{"heads", "4"}, ...}. A flag has an
/// empty value.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// `base` with the values of `changes`, which stand last where they are new.
Settings merged(Settings base, const Settings& changes);

/// One kind of model in a study: a training run, or a use of another variant's trained model.
struct Variant {
  std::string name;
  std::string reference = "mha";   ///< the variant it is compared with
  Settings settings = {};          ///< what its training has different from the study's base
  std::string pruned_from = {};    ///< trained from the model of this variant: --prune-from
  std::string model_of = {};       ///< not trained: the model of this variant, with the next two
  std::string budget = "learned";  ///< as bf-evaluate's --budget
  std::string gate = "learned";    ///< as bf-evaluate's --gate
};

/// Models to train and compare: every variant on every data set with every seed, each run a
/// bf-train of its own in OUT/DATASET-VARIANT-seedN.
struct Study {
  std::string part;                 ///< name of the study in its results
  Settings base;                    ///< of every run
  std::vector<Settings> data_sets;  ///< "dataset" and what else differs between them
  std::vector<std::uint64_t> seeds;
  std::vector<Variant> variants;
  std::string trainer;  ///< path of bf-train
  std::string out;
  Index jobs = 1;  ///< trainings at the same time
};

/// The training run behind one variant: its settings, seed and folder.
struct PlannedRun {
  std::string dataset;
  const Variant* variant = nullptr;
  std::uint64_t seed = 0;
  Settings settings;
  std::string folder;

  /// The arguments of bf-train for it, --out included.
  CommandLine arguments() const;
};

/// All training runs, in the order in which they have to run: pruning comes after what it prunes.
/// Throws std::invalid_argument when a variant refers to one that is not there.
std::vector<PlannedRun> training_runs(const Study& study);

/// Runs bf-train --resume for every training (it reads back what is finished and goes on with what
/// was interrupted), evaluates the variants that only use a model, and times all models of a data
/// set and seed in turns (study_timing.h). Returns one object per variant, data set and seed:
///   part, dataset, variant, reference, trained, seed, command, heads, layers, parameters,
///   training_rows, class_names, test (as in summary.json), training, seconds_per_1000_texts,
///   energy
/// A data set of which clearly less than the published training rows is at hand says so in its
/// name: "ag_news (44 %)". Throws std::runtime_error when a run fails.
std::vector<nlohmann::json> run_study(const Study& study, Progress& progress);

}  // namespace bf
