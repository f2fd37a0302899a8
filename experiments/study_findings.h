#pragma once

#include <string>
#include <vector>

#include "experiments/study_runs.h"

// What the parts of a study say, in sentences, beside the goals that the study set itself.
namespace bf {

/// BudgetFormer (variant "budget") against multi-head attention over the data sets: accuracy,
/// heads, FLOPs, time. Empty when no data set has both.
std::vector<std::string> main_findings(const StudyPart& part);

/// Whether the budget follows the difficulty of generated texts, and what the choice of heads is
/// worth (variants "random-gate-at-test" and "random"). Empty when no text has a difficulty.
std::vector<std::string> mixed_findings(const StudyPart& part);

/// One model at many budgets (variants as budget_figures() names them): what becomes of the
/// accuracy, and the point nearest to a published one.
std::vector<std::string> budgets_findings(const StudyPart& part);

}  // namespace bf
