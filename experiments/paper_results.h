#pragma once

#include "experiments/html.h"
#include "experiments/study_runs.h"

namespace bf {

/// The figures that the paper on BudgetFormer reports (arXiv 2604.22583: D = 768, 4 layers, full
/// training sets) beside ours of the same data sets, whole or in part; "-" for a data set that was
/// not run. No rows when none was.
ReportTable paper_table(const StudyPart& part);

/// What has to be said beside the table.
std::string paper_note();

}  // namespace bf
