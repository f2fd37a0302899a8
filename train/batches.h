#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/ids.h"
#include "tensor/segments.h"

namespace bf {

/// One split of a data set as token ids.
struct TokenizedSplit {
  std::vector<std::vector<Id>> tokens;  ///< per example; at least one token each
  std::vector<Id> labels;
  Index size() const { return tokens.size(); }
};

/// Some examples, packed one after another without padding.
struct Batch {
  Ids tokens;                   ///< [tokens]
  Segments segments;            ///< where each example begins
  Ids labels;                   ///< [B]
  std::vector<Index> examples;  ///< [B], their places in the split
  Index size() const { return examples.size(); }
};

Batch make_batch(const TokenizedSplit& split, std::span<const Index> examples);

/// The examples of each batch, by their places in the split.
using BatchPlan = std::vector<std::vector<Index>>;

/// Batches of `size` examples (the last may be smaller) for one epoch; every example once.
/// The examples are shuffled, sorted by length inside windows of 50 batches, so that a batch holds
/// texts of about one length and costs about what its neighbours cost, and the batches are shuffled
/// again. A function of (lengths, size, seed, epoch) alone.
BatchPlan training_plan(const TokenizedSplit& split, Index size, std::uint64_t seed,
                        std::uint64_t epoch);

/// Batches of `size` examples for evaluation, longest first: the largest buffers are made once.
BatchPlan evaluation_plan(const TokenizedSplit& split, Index size);

}  // namespace bf
