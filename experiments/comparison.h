#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bf {

/// One table per data set, one row per variant with means over the seeds (accuracy with its
/// standard deviation where there are several). The relative columns stand against the variant that
/// the results name as "reference", or the first if it is not among them. After the tables one
/// sentence for each variant on what it shows.
///   results: objects as run_study() returns them
/// Throws std::runtime_error as study_part() does, and nlohmann::json::exception when a field is
/// missing.
std::string comparison_text(const std::vector<nlohmann::json>& results);

/// The results as JSON lines.
std::string json_lines(const std::vector<nlohmann::json>& results);

/// "BudgetFormer" for the variant "budget", "MHA" for "mha", else the variant's name.
std::string display_name(const std::string& variant);

}  // namespace bf
