#pragma once

#include "experiments/chart.h"
#include "experiments/run_record.h"

// The part of a page that tells which test texts got how many heads, and which.
namespace bf {

/// For whom, in sentences: by difficulty or class, and by length and loss. Empty without texts.
std::vector<std::string> for_whom(const RunRecord& run);

/// Budgets against class, length, loss and, for generated texts, difficulty and kind; the cheapest
/// and the dearest texts. Says so where the run kept no test texts.
void report_texts(HtmlPage& page, const RunRecord& run, const Draw& draw);

/// The tenth of the texts with the fewest heads, all texts, and the tenth with the most.
ReportTable extremes_table(const RunRecord& run);

/// Share of the texts of each kind (rows, in order of difficulty) that run each head (columns:
/// layer by layer). Empty for data without kinds.
HeatMap kind_map(const RunRecord& run);

}  // namespace bf
