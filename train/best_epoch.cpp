#include "train/best_epoch.h"

namespace bf {

bool BestEpoch::offer(Index epoch, double accuracy, bool eligible) {
  const bool better = accuracy > accuracy_;
  if ((eligible && !eligible_) || (eligible == eligible_ && better)) {
    epoch_ = epoch;
    accuracy_ = accuracy;
    eligible_ = eligible;
    waiting_ = 0;
    return true;
  }
  if (eligible) ++waiting_;
  return false;
}

}  // namespace bf
