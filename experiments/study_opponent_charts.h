#pragma once

#include "experiments/study_curves.h"
#include "experiments/study_runs.h"

namespace bf {

/// Accuracy and time by the heads that run, two pictures for each data set; a curve for each way to
/// fewer heads: variants "mha-1", "pruned-1", "fixed-0.125" and "budget-0.125" beside "budget".
std::vector<Figure> opponent_figures(const StudyPart& part);

}  // namespace bf
