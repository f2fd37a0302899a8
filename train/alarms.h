#pragma once

#include <string>
#include <vector>

#include "train/evaluate.h"

namespace bf {

/// What an evaluation of the validation rows says has gone wrong in training, one line each:
///   layer 1: the controller is dead: no hidden unit has slope, s is 0.731 for every text
///   layer 1: the controller is saturated for 63.0 % of the texts
///   layer 2: no text runs heads 3, 7                                      (counted from 1)
///   accuracy 0.5000 is the share of the largest class
/// Empty when all is well.
std::vector<std::string> alarms(const Evaluation& validation);

}  // namespace bf
