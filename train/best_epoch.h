#pragma once

#include "tensor/real.h"

namespace bf {

/// Keeps track of the epoch to keep, by accuracy on validation data alone.
///
/// An epoch is eligible when its policy is in force (see policy_in_force in loop.h). One that is
/// not is kept only as long as no eligible one has been seen: with all heads running it says
/// nothing about the model that will be used. Of equal accuracies the earlier epoch stays.
class BestEpoch {
 public:
  /// Returns whether this epoch, counted from 1, is now the best.
  bool offer(Index epoch, double accuracy, bool eligible);

  Index epoch() const { return epoch_; }  ///< 0 before the first offer
  double accuracy() const { return accuracy_; }
  /// Eligible epochs offered since the best one: what early stopping counts.
  Index without_improvement() const { return waiting_; }

 private:
  Index epoch_ = 0;
  double accuracy_ = -1;
  bool eligible_ = false;
  Index waiting_ = 0;
};

}  // namespace bf
