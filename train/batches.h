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
  /// Of `synthetic`: numbers of Difficulty and SyntheticKind. Empty for other data.
  std::vector<int> difficulties = {}, kinds = {};
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

/// Batches of at most `size` examples and, unless one example has more, at most `most_tokens`
/// tokens, for evaluation, longest first: the largest buffers are made once.
BatchPlan evaluation_plan(const TokenizedSplit& split, Index size, Index most_tokens);

/// Tokens that a model works on at a time unless told otherwise: enough for products at full speed,
/// few enough for the activations between two operations to stay in the processor's caches.
constexpr Index default_pass_tokens = 896;

/// Cuts sequences of these lengths, in their order, into passes of about the same number of tokens:
/// as few as keep their mean at or below `most_tokens`, and at least `least_passes`. Returns the
/// number of sequences of each pass, none empty.
std::vector<Index> pass_sizes(std::span<const Index> lengths, Index most_tokens,
                              Index least_passes = 1);

}  // namespace bf
