#pragma once

#include "experiments/chart.h"
#include "experiments/run_record.h"

// The part of a page that tells of one run: its outcome in words, and its training in pictures.
namespace bf {

/// What a value of --attention is called in a sentence.
std::string model_title(const std::string& attention);
/// "ag_news: BudgetFormer and multi-head attention", of one run or more.
std::string page_title(const std::vector<RunRecord>& runs);

/// The run to compare with: multi-head attention of the same shape on the same data, or null.
const RunRecord* reference_for(const RunRecord& run, const std::vector<RunRecord>& runs);

/// The outcome in sentences: accuracy, how many heads, which, what it saved in FLOPs and, where
/// there is a reference, in time next to the ceiling that the FLOPs set.
std::vector<std::string> headline(const RunRecord& run, const RunRecord* reference);

/// Loss, accuracy, and for models with budgets s, entropy, schedules, heads and usage.
void report_training(HtmlPage& page, const RunRecord& run, const Draw& draw);

/// Accuracy against time, and where the FLOPs would allow each run with a reference to be.
Chart time_chart(const std::vector<RunRecord>& runs);

/// One row for each run.
ReportTable runs_table(const std::vector<RunRecord>& runs);

}  // namespace bf
