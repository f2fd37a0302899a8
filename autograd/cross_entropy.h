#pragma once

#include "autograd/tape.h"
#include "tensor/ids.h"

namespace bf {

/// Mean cross entropy of softmax(logits) with the target classes. With smoothing e, the target
/// distribution is q = (1 - e) onehot + e / K (Szegedy et al., 2016):
///   L = -mean_b sum_j q_bj log softmax(logits_b)_j
///   logits [B, K]   targets [B] in 0..K-1   L scalar
/// Backward, with g = dL'/dL:  dL'/dlogits_bj = g (softmax(logits_b)_j - q_bj) / B.
/// Saved: the log-probabilities, the targets.
/// Throws std::invalid_argument when counts differ, B is 0, a target is outside 0..K-1, or the
/// smoothing is outside [0, 1).
Variable cross_entropy(const Variable& logits, const Ids& targets, double label_smoothing = 0);

}  // namespace bf
