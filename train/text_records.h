#pragma once

#include <cstdint>
#include <vector>

#include "budgetformer/head_selection.h"

namespace bf {

/// What an evaluation did with each text, in the order of the split.
class TextRecords {
 public:
  TextRecords() = default;
  TextRecords(Index texts, Index layers, Index heads, bool has_budgets);

  /// Notes what layer `layer` chose for `sequence` of its batch, which is the text number `text`.
  /// Only for models with budgets.
  void note(const HeadSelection& selection, Index sequence, Index text, Index layer);

  Index texts() const { return losses.size(); }
  Index layers() const { return layers_; }
  Index heads() const { return heads_; }
  /// Whether the model chooses its heads. Without budgets (mha) every head runs and s is 1.
  bool has_budgets() const { return has_budgets_; }
  double budget(Index text, Index layer) const;
  bool runs(Index text, Index layer, Index head) const;
  double budget_mean(Index text) const;  ///< over layers
  Index heads_run(Index text) const;     ///< summed over layers

  std::vector<double> losses;  ///< cross entropy [texts]

 private:
  Index layers_ = 0, heads_ = 0;
  bool has_budgets_ = false;
  std::vector<Real> budgets_;       ///< [texts, layers]
  std::vector<std::uint8_t> mask_;  ///< [texts, layers, heads]
};

}  // namespace bf
