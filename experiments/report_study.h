#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/chart.h"

namespace bf {

/// A study in two forms: the page, and its words and tables as Markdown; and the page's pictures.
struct StudyReport {
  std::string html, markdown;
  std::vector<std::pair<std::string, std::string>> pictures;  ///< PART-N, from 1, and its SVG
};

/// Reads the parts main, mixed, budgets, opponents, ablation and scaling of the folder; those that
/// have no file are named as missing. Throws std::runtime_error when there is none at all, and as
/// read_study_part() does.
StudyReport report_study(const std::string& folder, const Draw& draw);

}  // namespace bf
