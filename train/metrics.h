#pragma once

#include <vector>

#include "tensor/real.h"

namespace bf {

/// How well predicted classes match the right ones.
struct Scores {
  double accuracy = 0;
  double macro_f1 = 0;           ///< mean of class_f1
  std::vector<double> class_f1;  ///< 2 TP / (2 TP + FP + FN); 0 for a class that never occurs
};

/// Throws std::invalid_argument when the counts differ, there is no example, or a class is outside
/// 0 .. classes - 1.
Scores score(const std::vector<Id>& predicted, const std::vector<Id>& labels, Index classes);

/// The larger the value, the likelier the class; of equal values the first.
Id argmax(const Real* values, Index count);

}  // namespace bf
