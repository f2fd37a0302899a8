#pragma once

#include <string>
#include <vector>

#include "train/loop.h"

namespace bf {

/// What an evaluation of the validation rows says has gone wrong in training, one line each:
///   layer 1: the controller is dead: no hidden unit has slope, s is 0.731 for every text
///   layer 1: the controller is saturated for 63.0 % of the texts
///   layer 2: no text runs heads 3, 7                                      (counted from 1)
///   accuracy 0.5000 is the share of the largest class
///   99.2 % of the texts are taken for one class, which has 25.0 % of them
/// Empty when all is well.
std::vector<std::string> alarms(const Evaluation& validation);
/// The same of an epoch, with what its updates say; a parameter without gradient is no news while
/// the policy is not yet in force, since all heads run at first and the controller sees nothing.
///   2 updates were skipped: loss or gradient was not finite
///   the loss spiked 3 times, first at step 120
///   parameter "layers.0.attention.gate.weight" got no gradient
std::vector<std::string> alarms(const EpochReport& epoch);

/// Those of `now` that were not there an epoch ago, word by word: what a log has to say.
std::vector<std::string> new_alarms(std::vector<std::string> now,
                                    const std::vector<std::string>& before);

}  // namespace bf
