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

}  // namespace bf
