#pragma once

#include <string>

#include "tensor/real.h"

namespace bf {

/// Learning rate over a run: a linear rise to `peak`, then a fall to `floor` of it.
struct LearningRateConfig {
  double peak = 1e-3;
  double warmup = 0.05;          ///< of all steps if below 1, else a number of steps
  std::string decay = "linear";  ///< linear, cosine or constant
  double floor = 0;              ///< the last rate as a fraction of the peak, in [0, 1]

  /// Throws std::invalid_argument naming the field, its range and the value.
  void check() const;
};

/// The rate of update `step` = 1 .. total. With w warm-up steps:
///   step <= w:  peak step / w
///   after:      peak (floor + (1 - floor) d(a)),  a = (step - w) / (total - w)
///               d(a) = 1 - a (linear), (1 + cos(pi a)) / 2 (cosine), 1 (constant)
/// so the last update has the rate floor x peak.
double learning_rate_at(const LearningRateConfig& config, Index step, Index total);

}  // namespace bf
