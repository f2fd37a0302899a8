#pragma once

#include <string>
#include <vector>

#include "tensor/flops.h"
#include "train/batches.h"
#include "train/energy.h"
#include "train/metrics.h"
#include "train/model_builder.h"
#include "train/text_records.h"
#include "train/text_summary.h"

namespace bf {

/// What one layer's policy did over an evaluation (see LayerStatistics).
struct LayerReport {
  double budget_mean = 0, budget_deviation = 0;  ///< of s over the examples
  double heads_mean = 0;                         ///< of k
  double entropy_mean = 0;                       ///< nats
  double saturated = 0;                          ///< share of controllers without slope
  double hidden_off = 0;  ///< share of those whose hidden units have no slope
  Index dead_heads = 0;
  std::vector<double> head_usage;
  std::vector<Index> heads_histogram;
};

/// A model on one split.
struct Evaluation {
  Index examples = 0, tokens = 0;
  Scores scores;
  double loss = 0;                  ///< mean cross entropy
  std::vector<Id> predictions;      ///< in the order of the split
  TextRecords texts;                ///< likewise: losses, s, which heads ran
  TextSummary text_summary;         ///< by class, difficulty, length, loss
  Flops executed;                   ///< counted where they ran
  double dense_flops = 0;           ///< closed form of the same model with every head running
  double paper_flops = 0;           ///< dense, with only Q K^T and A V scaled by s
  double seconds = 0;               ///< of the forward passes and what surrounds them
  Energy energy;                    ///< of the same
  Index peak_tensor_bytes = 0;      ///< most that this pass held at once, and the weights
  Index peak_process_bytes = 0;     ///< largest resident size of the process so far
  std::vector<LayerReport> layers;  ///< empty for mha

  /// Of an evaluation that was read from a file: the JSON object it stood as, which holds more than
  /// the fields here do.
  std::string record;

  double budget_mean() const;  ///< mean of s over layers; 1 for mha
  /// Mean of k over layers; `heads` (all of them) for mha.
  double heads_mean(Index heads) const;
};

constexpr Index evaluation_batch = 64;

/// Runs the model in evaluation mode: no dropout, no noise, nothing recorded; only the selected
/// heads run. The model's mode is restored. With `soft_gates` all heads run, scaled by the relaxed
/// gates that training sees. Throws std::invalid_argument when the split is empty, and NonFinite
/// when the model does not answer with numbers, both counted from 0:
///   evaluate: logit 2 of text 17 is nan
Evaluation evaluate(Model& model, const TokenizedSplit& split, Index batch = evaluation_batch,
                    bool soft_gates = false);

}  // namespace bf
