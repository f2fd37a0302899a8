#include "train/batches.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "tensor/require.h"
#include "train/shuffle.h"

namespace bf {
namespace {

constexpr Index window_batches = 50;

/// Streams of the two shuffles of an epoch; nothing else numbers its streams so high, the steps of
/// a training run (RandomSource) included.
std::uint64_t example_stream(std::uint64_t epoch) { return (std::uint64_t{1} << 63) + 2 * epoch; }
std::uint64_t batch_stream(std::uint64_t epoch) { return example_stream(epoch) + 1; }

void sort_by_length(const TokenizedSplit& split, std::span<Index> examples) {
  // Stable: equal lengths keep their shuffled order.
  std::stable_sort(examples.begin(), examples.end(), [&split](Index a, Index b) {
    return split.tokens[a].size() > split.tokens[b].size();
  });
}

BatchPlan cut(std::span<const Index> examples, Index size) {
  BatchPlan plan;
  for (Index first = 0; first < examples.size(); first += size) {
    const auto part = examples.subspan(first, std::min(size, examples.size() - first));
    plan.emplace_back(part.begin(), part.end());
  }
  return plan;
}

}  // namespace

Batch make_batch(const TokenizedSplit& split, std::span<const Index> examples) {
  std::vector<Id> tokens, labels;
  std::vector<Index> lengths;
  for (const Index example : examples) {
    const std::vector<Id>& ids = split.tokens[example];
    tokens.insert(tokens.end(), ids.begin(), ids.end());
    lengths.push_back(ids.size());
    labels.push_back(split.labels[example]);
  }
  return {
      std::move(tokens), Segments(lengths), std::move(labels), {examples.begin(), examples.end()}};
}

BatchPlan training_plan(const TokenizedSplit& split, Index size, std::uint64_t seed,
                        std::uint64_t epoch) {
  require(size > 0, "batches: the batch size must be at least 1, got ", size);
  std::vector<Index> examples = seeded_permutation(split.size(), seed, example_stream(epoch));
  const Index window = window_batches * std::min(size, examples.size());
  for (Index first = 0; first < examples.size(); first += window) {
    const Index count = std::min(window, examples.size() - first);
    sort_by_length(split, std::span(examples).subspan(first, count));
  }
  BatchPlan sorted = cut(examples, size);
  BatchPlan plan;
  for (const Index batch : seeded_permutation(sorted.size(), seed, batch_stream(epoch))) {
    plan.push_back(std::move(sorted[batch]));
  }
  return plan;
}

BatchPlan evaluation_plan(const TokenizedSplit& split, Index size, Index most_tokens) {
  require(size > 0 && most_tokens > 0,
          "batches: the batch size and the tokens of a pass must be at least 1, got ", size,
          " and ", most_tokens);
  std::vector<Index> examples(split.size());
  std::iota(examples.begin(), examples.end(), Index{0});
  sort_by_length(split, examples);
  BatchPlan plan;
  Index tokens = 0;
  for (const Index example : examples) {
    tokens += split.tokens[example].size();
    if (plan.empty() || plan.back().size() == size || tokens > most_tokens) {
      plan.emplace_back();
      tokens = split.tokens[example].size();
    }
    plan.back().push_back(example);
  }
  return plan;
}

std::vector<Index> pass_sizes(std::span<const Index> lengths, Index most_tokens,
                              Index least_passes) {
  require(most_tokens > 0, "batches: the tokens of a pass must be at least 1, got ", most_tokens);
  const Index total = std::accumulate(lengths.begin(), lengths.end(), Index{0});
  const Index passes =
      std::min(lengths.size(), std::max(least_passes, (total + most_tokens - 1) / most_tokens));
  std::vector<Index> sizes;
  Index seen = 0;  // tokens of the sequences before the current pass and in it
  for (Index i = 0, size = 0; i < lengths.size(); ++i) {
    seen += lengths[i];
    ++size;
    const Index left = lengths.size() - i - 1, missing = passes - sizes.size() - 1;
    // A pass ends where its share of all tokens is reached; the last sequences go one to each of
    // the passes that are missing.
    if (seen * passes < total * (sizes.size() + 1) && left > missing) continue;
    if (missing == 0 && left > 0) continue;
    sizes.push_back(std::exchange(size, 0));
  }
  return sizes;
}

}  // namespace bf
