#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/batches.h"
#include "train/text_records.h"

namespace bf {

/// Means over a group of texts.
struct GroupSummary {
  std::string name;
  Index examples = 0;
  double accuracy = 0;
  double loss = 0;
  double tokens_mean = 0;
  double s_mean = 0;            ///< over texts and layers
  double heads_mean_total = 0;  ///< heads that run, summed over the layers
  /// [layers][H], share of texts that run the head; empty if all groups of a kind together would
  /// have more than 100,000 values, of which a summary would become too long to be read.
  std::vector<std::vector<double>> head_usage;
};

constexpr Index s_bins = 10;

/// How what was spent on a text goes with what the text is. What concerns budgets is empty for a
/// model without them; a correlation (Spearman's) is none where one side does not vary.
struct TextSummary {
  std::vector<GroupSummary> by_class;  ///< by the right class, in its order, named "0", "1", ...
  std::vector<GroupSummary> by_difficulty;  ///< empty for data that has none
  std::vector<GroupSummary> by_kind;
  /// The tenth of the texts that ran the fewest heads, and that which ran the most; of equal counts
  /// the smaller s is the cheaper.
  std::optional<GroupSummary> cheapest, dearest;
  std::optional<double> difficulty_heads, difficulty_s;  ///< heads: summed over layers; s: mean
  std::optional<double> heads_loss, heads_length, s_loss, s_length;
  /// Texts by s in bins of a tenth, the last with s = 1: of s averaged over layers, and per layer.
  std::vector<Index> s_histogram;
  std::vector<std::vector<Index>> layer_s_histograms;
};

/// `predictions` and `records` are those of the texts of `split`.
TextSummary summarise_texts(const TextRecords& records, const std::vector<Id>& predictions,
                            const TokenizedSplit& split, Index classes);

}  // namespace bf
