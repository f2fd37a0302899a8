#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/study.h"

namespace bf {

/// What the models of one data set and seed do on its test rows; one entry per run.
struct StudyTimes {
  std::vector<nlohmann::json> tests;  ///< as "test" of summary.json
  std::vector<double> seconds_per_1000;
};

/// Tests and times the models in the folders of `runs`, which are of one data set and seed. A
/// trained variant has its test in its summary.json; one that uses another's model is evaluated
/// now. The times are medians of passes over up to 2,000 test texts, the models in turns, after a
/// pass that only warms up, so that a machine that slows down slows all of them. Both are kept in
/// `path`, a JSON file, and taken from there when it has them already. Throws std::runtime_error
/// when the file holds something else or a model cannot be loaded.
StudyTimes test_and_time(const std::vector<PlannedRun>& runs, const std::string& path,
                         Progress& progress);

}  // namespace bf
