#pragma once

#include <vector>

#include "train/batches.h"
#include "train/model_builder.h"

namespace bf {

/// A number for each head, [layers][H].
using HeadImportance = std::vector<std::vector<double>>;

/// Texts that head_importance() looks at unless told otherwise.
constexpr Index importance_texts = 10000;

/// How much the loss depends on each head of a trained multi-head attention (Michel, Levy and
/// Neubig, "Are Sixteen Heads Really Better than One?", 2019): with a gate of 1 on the output of
/// head h for text b, the mean over the texts of |dL_b / dgate_bh|. Without dropout; weights and
/// mode of the model stay as they are. Looks at `texts` texts evenly spaced in the split, or all.
/// Throws std::invalid_argument when the model has budgets or the split is empty.
HeadImportance head_importance(Model& model, const TokenizedSplit& split,
                               Index texts = importance_texts);

/// The `keep` most important heads of each layer, by rising index; of equals the lower index stays.
/// Throws std::invalid_argument when `keep` is 0 or above the number of heads.
std::vector<std::vector<Index>> most_important(const HeadImportance& importance, Index keep);

/// A multi-head attention with the heads `kept` of each layer alone: as many heads of the same
/// width, whose rows of qkv and columns of out are cut from those of `model`; all else is copied.
/// Throws std::invalid_argument when the model has budgets, or the layers do not keep equally many
/// different heads, by rising index.
Model keep_heads(Model& model, const std::vector<std::vector<Index>>& kept);

}  // namespace bf
