#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bf {

/// What of a config.json decides the results: data, tokenizer, model and training, not where the
/// run is kept, how it is logged, on how many threads it runs or what it does about an update that
/// is not finite, so that a run that stopped there can go on without it. A missing part is null.
/// The budget's settings do not count for mha, nor the options of the data as long as the rows are
/// the same.
nlohmann::json run_identity(const nlohmann::json& config);
/// The identity as text for checkpoints.
std::string identity_text(const nlohmann::json& config);

/// Throws std::runtime_error unless the run that was begun with `before` is the one that `now`
/// describes, naming the first option that differs:
///   runs/a: was begun with --dim 64, not 32; give it the same options, or choose another folder
/// or, where no option tells why, the rows.
void require_same_run(const std::string& path, const nlohmann::json& before,
                      const nlohmann::json& now);

/// What may change the bits of a run that goes on elsewhere, one line each: another version,
/// compiler, instruction set or kernel.
std::vector<std::string> environment_changes(const nlohmann::json& before,
                                             const nlohmann::json& now);

}  // namespace bf
