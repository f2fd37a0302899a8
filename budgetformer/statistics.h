#pragma once

#include <vector>

#include "budgetformer/head_selection.h"

namespace bf {

/// What one layer's policy did over a set of sequences; gathered in evaluation and in training.
class LayerStatistics {
 public:
  explicit LayerStatistics(Index heads = 0) : usage_(heads, 0), histogram_(heads + 1, 0) {}

  /// One batch: the selection, the entropy of each sequence's relevance distribution (undefined if
  /// there is none), the controller's logits and its hidden units (undefined if there are none).
  void add(const HeadSelection& selection, const Tensor& entropies, const Tensor& logits,
           const Tensor& hidden = {});
  void reset() { *this = LayerStatistics(usage_.size()); }

  Index sequences() const { return sequences_; }
  double budget_mean() const;       ///< mean of s
  double budget_deviation() const;  ///< its standard deviation between sequences
  double heads_mean() const;        ///< mean of k
  double entropy_mean() const;      ///< nats, over the sequences that had one
  /// Share of sequences that ran each head.
  std::vector<double> head_usage() const;
  /// Sequences by k: element k counts those that ran k heads.
  const std::vector<Index>& heads_histogram() const { return histogram_; }
  /// Heads that fewer than 1 sequence in 1,000 ran.
  Index dead_heads() const;
  /// Share of the logits beyond +-6, where the sigmoid has no slope left; a NaN counts as beyond.
  double saturated() const;
  /// Share of the sequences, of those whose hidden units are known, for which each is within 1e-3
  /// of +-1, where tanh has no slope left: the controller learns nothing from them.
  double hidden_off() const;

 private:
  std::vector<Index> usage_, histogram_;
  Index sequences_ = 0, entropies_ = 0, logits_ = 0, saturated_ = 0, hidden_ = 0, hidden_off_ = 0;
  double budget_sum_ = 0, budget_squares_ = 0, heads_sum_ = 0, entropy_sum_ = 0;
};

}  // namespace bf
