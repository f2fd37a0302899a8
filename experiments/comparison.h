#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/model_options.h"
#include "train/fit.h"
#include "train/progress.h"

namespace bf {

/// One model of a comparison: trained, its best epoch by validation kept, then tested once.
struct ComparedModel {
  std::string dataset, attention;
  std::uint64_t seed = 0;
  Index heads = 0, parameters = 0;
  TrainingResult training;
  Evaluation test;
  double seconds_per_1000 = 0;  ///< median of the timed passes

  double executed_flops_per_text() const;
  /// How much less than dense the model costs if only the attention core counts, as in the paper.
  double paper_cut() const { return 1 - test.paper_flops / test.dense_flops; }
};

/// Where one model of a comparison is kept: OUT/DATASET-ATTENTION-seedN; empty if OUT is.
std::string comparison_folder(const std::string& out, const std::string& dataset,
                              const std::string& attention, std::uint64_t seed);

/// Trains and tests one model per attention on the same data with the same seed, then times them on
/// test texts. The passes of the models alternate, after one that only warms up, so that a machine
/// that slows down slows all of them. With run.out each model is kept in its
/// comparison_folder(), whose config.json holds `options`.
std::vector<ComparedModel> compare_models(const TokenizedData& data, const RunOptions& run,
                                          std::uint64_t seed,
                                          const std::vector<std::string>& attentions,
                                          const nlohmann::json& options, Progress& progress);

/// One table per data set, one row per attention with means over the seeds (accuracy with its
/// standard deviation where there are several), and one sentence on what it shows.
std::string comparison_text(const std::vector<ComparedModel>& models);
nlohmann::json comparison_json(const std::vector<ComparedModel>& models);

}  // namespace bf
