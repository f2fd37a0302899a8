#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/study.h"

namespace bf {

/// What one model of a study does on the test rows.
struct StudyMeasurement {
  nlohmann::json test;  ///< as "test" of summary.json
  double seconds_per_1000 = 0;
  nlohmann::json energy;  ///< {joules_per_1000_texts, gco2_per_1000_texts, source}, while timed
  Index parameters = 0;
  double published_share = 1;  ///< as in Dataset
};

/// Tests and times the models in the folders of `runs`, which are of one data set and seed; one
/// result per run. A trained variant has its test in its summary.json; one that uses another's
/// model is evaluated now. The times are medians of passes over up to 2,000 test texts, for each
/// model at least 5 of them and 2 seconds, or 50, after one that only warms up; the models take
/// turns, each round in the other order, so that a machine that slows down slows all of them. What
/// was measured is kept in `path`, a JSON file, and taken from there as long as the models are the
/// same, bit for bit. Throws std::runtime_error when the file holds something else or a model
/// cannot be loaded.
std::vector<StudyMeasurement> test_and_time(const std::vector<PlannedRun>& runs,
                                            const std::string& path, Progress& progress);

}  // namespace bf
