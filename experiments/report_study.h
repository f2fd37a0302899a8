#pragma once

#include "experiments/chart.h"

namespace bf {

/// A study in two forms: the page, and its words and tables as Markdown.
struct StudyReport {
  std::string html, markdown;
};

/// Reads the parts main, mixed, budgets, opponents, ablation and scaling of the folder; those that
/// have no file are named as missing. Throws std::runtime_error when there is none at all, and as
/// read_study_part() does.
StudyReport report_study(const std::string& folder, const Draw& draw);

}  // namespace bf
