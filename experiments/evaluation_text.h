#pragma once

#include <string>
#include <vector>

#include "train/evaluate.h"

namespace bf {

/// An evaluation for people: totals, then one table of the classes, then for a model with budgets
/// one table of the layers and one of the k histogram.
std::string evaluation_text(const Evaluation& evaluation,
                            const std::vector<std::string>& class_names, Index heads);

}  // namespace bf
