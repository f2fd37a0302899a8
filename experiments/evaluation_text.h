#pragma once

#include <string>
#include <vector>

#include "train/evaluate.h"

namespace bf {

/// An evaluation for people: totals, one table of the classes, one of groups of texts (by
/// difficulty and kind, the cheapest and the dearest tenth) where there are some; for a model with
/// budgets also correlations, one table of the layers, and the histograms of k and s.
std::string evaluation_text(const Evaluation& evaluation,
                            const std::vector<std::string>& class_names, Index heads);

}  // namespace bf
