#pragma once

#include <string>
#include <vector>

#include "experiments/study.h"
#include "experiments/training_options.h"

namespace bf {

/// What bf-compare and bf-ablate share: the options of bf-train, and those of a grid of runs.
struct StudyOptions {
  RunOptions run;
  std::vector<std::string> datasets, seeds;
  Index jobs = 1;
  bool resume = false;
};

/// Options of the model and its training, and --datasets, --seeds, --jobs, --resume.
OptionList study_option_list(StudyOptions& options);

/// The grid that the parsed options ask for, without variants: every option of bf-train that was
/// given stands in its base. Without --out the runs go to a folder of their own below the system's
/// temporary one. Throws UsageError naming the option, and std::runtime_error when --out holds
/// results and --resume is not given.
Study study_of(StudyOptions& options, const OptionValues& values, const std::string& part);

/// Runs the study and writes results.jsonl and results.txt to its folder; prints the tables, or
/// with --json one object. Removes the folder again if it was a temporary one.
void run_and_report(const Study& study, const StudyOptions& options, const OptionValues& values);

/// Every value of a list is one of `known` and stands there once; else UsageError.
void check_list(const char* option, const std::vector<std::string>& given,
                const std::vector<std::string>& known);

}  // namespace bf
