#pragma once

#include <string>

#include "train/loop.h"
#include "train/progress.h"

namespace bf {

/// What fit() tells, as lines on `progress`: every `log_every` steps, and each epoch. `name` stands
/// in front. Both arguments have to outlive the result.
TrainingEvents log_training(Progress& progress, const std::string& name, Index log_every,
                            Index heads);

}  // namespace bf
