#pragma once

#include <optional>
#include <vector>

#include "tensor/real.h"

namespace bf {

/// The running level of the losses of single updates, for finding spikes: the median of the last
/// `window`. A loss is high when it is above the level by more than both
///   - 10 times the usual spread, 1.4826 median |loss - level| (the standard deviation, were the
///     losses normal), so that noise is none: neither median is moved by a few odd values;
///   - half a nat, so that nothing is said of a loss that is small anyway: among K classes knowing
///     nothing costs ln K nats.
/// A spike begins with a high loss that follows one that is not. Nothing is high before `least`
/// losses have been seen. All of its state is in the fields, for checkpoints.
struct LossLevel {
  static constexpr Index window = 50, least = 20;

  std::vector<double> losses;  ///< at most `window`, the oldest first
  bool high = false;           ///< the last one was

  /// Takes the next loss. If a spike begins with it, the level before it.
  std::optional<double> add(double loss);
};

}  // namespace bf
