#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tensor/profile.h"

namespace bf {

/// A profile of steps that together took `seconds`, kind by kind:
///   {"gemm": {"calls": .., "seconds": .., "share": .., "gflops": ..}, .., "other": {..},
///    "accounted": 0.99}
/// `share` is of `seconds`; `gflops` stands where products were counted, else `gb_per_s` where
/// bytes were. Kinds without calls are left out. `other` is the time outside every scope, and
/// `accounted` the share of the rest.
nlohmann::ordered_json profile_json(const Profile& profile, double seconds);

/// The same as a table, per step.
std::string profile_table(const Profile& profile, double seconds, std::size_t steps);

}  // namespace bf
