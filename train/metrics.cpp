#include "train/metrics.h"

#include <algorithm>

#include "tensor/require.h"

namespace bf {

Scores score(const std::vector<Id>& predicted, const std::vector<Id>& labels, Index classes) {
  require(predicted.size() == labels.size(), "score: ", predicted.size(),
          " predictions do not match ", labels.size(), " labels");
  require(!labels.empty(), "score: there is no example");
  std::vector<Index> both(classes), in_predicted(classes), in_labels(classes);
  const auto place = [classes](Id value) {
    const Index at = static_cast<Index>(value);
    require(value >= 0 && at < classes, "score: class ", value, " is outside 0..", classes - 1);
    return at;
  };
  Index right = 0;
  for (Index i = 0; i < labels.size(); ++i) {
    const Index guess = place(predicted[i]), label = place(labels[i]);
    ++in_predicted[guess];
    ++in_labels[label];
    if (guess == label) ++both[label], ++right;
  }
  Scores scores;
  scores.accuracy = static_cast<double>(right) / static_cast<double>(labels.size());
  for (Index c = 0; c < classes; ++c) {
    // 2 TP + FP + FN is the number of times the class was predicted plus the times it was right.
    const double sum = static_cast<double>(in_predicted[c] + in_labels[c]);
    scores.class_f1.push_back(sum > 0 ? 2 * static_cast<double>(both[c]) / sum : 0);
    scores.macro_f1 += scores.class_f1.back() / static_cast<double>(classes);
  }
  return scores;
}

Id argmax(const Real* values, Index count) {
  return static_cast<Id>(std::max_element(values, values + count) - values);
}

}  // namespace bf
