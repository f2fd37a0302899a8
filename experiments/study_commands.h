#pragma once

#include <string>
#include <vector>

#include "experiments/html.h"
#include "experiments/study_runs.h"

// How the runs of a study were made.
namespace bf {

/// Every command with its variant and seed, one line each.
std::vector<std::string> commands(const StudyPart& part);

/// What the names of the variants stand for: the options that not all models trained on a data set
/// have. A variant is in it once, or for each data set where its options are others.
ReportTable options_table(const StudyPart& part);

/// Where BudgetFormer's texts are cut, "trec 64, r8 256" tokens, and how many of the published test
/// texts there were where it was not all of them; "" without either.
std::string texts_sentence(const StudyPart& part);

/// The value of an option in a command, "64" of "--max-len"; "" without it.
std::string option_in(const std::string& command, const std::string& option);

}  // namespace bf
