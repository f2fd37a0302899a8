#pragma once

#include <nlohmann/json_fwd.hpp>

#include "train/fit.h"

namespace bf {

// Reports as they stand in metrics.jsonl, in summary.json and in what --json prints. Units are in
// the names; what is known of each text is left out (train/text_json.h).

nlohmann::json to_json(const Energy& energy);
nlohmann::json to_json(const Evaluation& evaluation);
nlohmann::json to_json(const StepReport& step);
nlohmann::json to_json(const EpochReport& epoch);
/// The whole run: every epoch, and which one was kept.
nlohmann::json to_json(const TrainingResult& training);
nlohmann::json to_json(const TrainingConfig& config);

/// What the run was made with: version, compiler, SIMD target, GEMM kernel, threads.
nlohmann::json environment_json();

}  // namespace bf
