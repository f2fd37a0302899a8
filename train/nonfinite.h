#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "nn/module.h"

namespace bf {

/// A loss, a gradient, a weight or an output that is NaN or infinite; the text says which.
struct NonFinite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Updates that were left out because their loss or gradient was not finite.
struct Skips {
  Index total = 0;     ///< so far
  Index in_a_row = 0;  ///< since the last update that was made
};

/// So many may be skipped: one batch can be out of the ordinary, but eleven different ones in a row
/// mean that the weights are the cause, and without more than 1 % of its updates a run is no longer
/// the one that was asked for.
constexpr Index most_skips_in_a_row = 10;
constexpr Index most_skips(Index total_steps) {
  return std::max(most_skips_in_a_row, total_steps / 100);
}

/// Why no more are skipped; empty as long as that is allowed:
///   it is number 11 in a row, and 10 may be skipped
///   it is number 31 of 3000 updates, and 30 may be skipped
std::string too_many(const Skips& skips, Index total_steps);

/// Where values stop being finite in `work`, a forward and backward that leaves gradients of
/// `parameters`: does it with every operation watched (AnomalyMode), which ends at the first bad
/// one, and once more to its end.
///   softmax: gradient of input 0 [4, 8] has inf at element 0; the first parameter with a gradient
///   that is not finite is "head.weight"
/// in one line; "first" by the order of `parameters`. The gradients are gone afterwards.
std::string non_finite_cause(const std::vector<NamedParameter>& parameters,
                             const std::function<void()>& work);

}  // namespace bf
