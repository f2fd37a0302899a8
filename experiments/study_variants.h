#pragma once

#include <string>
#include <vector>

#include "experiments/html.h"
#include "experiments/study_runs.h"

// What the parts say that compare many variants of one model, in sentences.
namespace bf {

/// BudgetFormer beside multi-head attention with fewer heads from the start ("mha-1"), pruned
/// ("pruned-1") and beside fixed budgets ("fixed-0.25"): accuracy and FLOPs of each, and how far
/// BudgetFormer is from the dense model nearest to it in cost.
std::vector<std::string> opponents_findings(const StudyPart& part);

/// What every change to the recipe does to accuracy and heads, against the variant "budget".
std::vector<std::string> ablation_findings(const StudyPart& part);

/// Whether s falls or rises with layers, heads and training rows (variants "budget-layers-4").
/// Of the last epoch, at the end of all schedules, and of the epoch that is kept, the best on
/// validation rows, whose accuracy and heads are those of the tables.
std::vector<std::string> scaling_findings(const StudyPart& part);
/// The same in numbers, a row for each size.
ReportTable scaling_table(const StudyPart& part);

/// What varies in a variant of the scaling part: "layers", "heads" or "rows"; empty for none.
std::string scaled(const std::string& variant);
/// The groups that choose heads and in which `what` varies, from its smallest value on.
std::vector<const StudyGroup*> scaling_groups(const StudyPart& part, const std::string& dataset,
                                              const std::string& what);
/// The share of the reference's FLOPs that a group executes; the reference's own is 1.
double cost_of(const StudyPart& part, const StudyGroup& group);
/// s on the validation rows after the last epoch of training; NaN where it is not recorded.
double final_budget(const StudyRun& run);
/// s on the test texts, of the epoch that is best on the validation rows.
double kept_budget(const StudyRun& run);

}  // namespace bf
