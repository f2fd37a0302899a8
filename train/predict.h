#pragma once

#include <string>
#include <vector>

#include "train/run_folder.h"

namespace bf {

/// What the model says about one text.
struct Prediction {
  Id label = 0;
  double probability = 0;
  std::vector<double> probabilities;  ///< of each class
  std::vector<double> budgets;        ///< s of each layer; empty for mha
  std::vector<Index> heads;           ///< heads run in each layer
  Index tokens = 0;
  bool empty = false;  ///< nothing left after cleaning: it was read as one [UNK]
};

/// A text on its own, in a batch of one, so that nothing depends on its neighbours. The text is
/// cleaned (clean_text()) and cut as in training; `second` is the second sentence of a pair.
Prediction predict(TrainedModel& trained, const std::string& text, const std::string& second = "");

}  // namespace bf
