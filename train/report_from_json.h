#pragma once

#include <nlohmann/json_fwd.hpp>

#include "train/fit.h"

namespace bf {

// Reports back from the JSON that report_json.h makes of them, so that to_json() gives the same
// object again. What belongs to single texts (predictions, records) is not in there and stays
// empty. All throw std::runtime_error naming the field that is missing or of the wrong type:
//   report: "accuracy": missing or of the wrong type

Energy energy_from_json(const nlohmann::json& json);
Evaluation evaluation_from_json(const nlohmann::json& json);
EpochReport epoch_report_from_json(const nlohmann::json& json);
TrainingResult training_result_from_json(const nlohmann::json& json);

/// What the summary.json of a finished run says, to be shown for a model of so many classes and
/// heads.
struct FinishedReports {
  TrainingResult training;
  Evaluation test;
};

/// Throws std::runtime_error, "PATH: report: ...", also where lists have other lengths than the
/// classes, heads and bins they stand for:
///   runs/a/summary.json: report: "class_f1" has 2 values, expected 4
FinishedReports finished_reports(const nlohmann::json& summary, const std::string& path,
                                 Index classes, Index heads);

}  // namespace bf
