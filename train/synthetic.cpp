#include "train/synthetic.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "tensor/require.h"
#include "train/splits.h"

namespace bf {
namespace {

using Word = const char*;
using Words = std::vector<std::string>;

constexpr std::array<Word, 10> yes_words{"alder", "birch", "cedar", "hazel",  "larch",
                                         "maple", "olive", "rowan", "willow", "yew"};
constexpr std::array<Word, 10> no_words{"basalt", "chalk",  "flint", "gneiss", "granite",
                                        "marble", "quartz", "shale", "slate",  "topaz"};
constexpr std::array<Word, 8> good_words{"good",  "fine",   "lovely",  "great",
                                         "sweet", "bright", "helpful", "clever"};
constexpr std::array<Word, 8> bad_words{"bad",  "poor", "awful", "dull",
                                        "sour", "dark", "rude",  "silly"};
constexpr std::array<Word, 4> slots{"box", "cup", "door", "drum"};
constexpr std::array<Word, 4> values{"one", "two", "three", "four"};
constexpr std::array<Word, 32> noise_words{
    "after",  "again",  "along", "and",   "around",  "autumn", "between", "by",
    "carry",  "corner", "day",   "early", "evening", "far",    "field",   "for",
    "garden", "he",     "house", "in",    "later",   "many",   "near",    "of",
    "often",  "on",     "path",  "river", "she",     "some",   "the",     "with"};
const std::array<std::string, difficulty_count> difficulty_names{"easy", "medium", "hard"};
const std::array<std::string, synthetic_kind_count> kind_names{"keyword", "majority", "above",
                                                               "latest", "next"};
constexpr Index shortest_text = 16;
constexpr Index longest_text = 24;
constexpr Index facts = 3;

template <Index N>
Word one_of(const std::array<Word, N>& words, RandomSequence& random) {
  return words[random.below(N)];
}

/// `parts` in their order, with noise words in random places up to the length of the text; `last`
/// ends it.
std::string among_noise(const std::vector<Words>& parts, const Words& last,
                        RandomSequence& random) {
  Index used = last.size();
  for (const Words& part : parts) used += part.size();
  const Index length = shortest_text + random.below(longest_text - shortest_text + 1);
  // The noise in front of each part: every word of it falls into one of the gaps.
  std::vector<Index> gap(parts.size() + 1, 0);
  for (Index i = used; i < length; ++i) ++gap[random.below(gap.size())];
  std::string text;
  const auto add = [&text](const std::string& word) {
    if (!text.empty()) text += ' ';
    text += word;
  };
  for (Index i = 0; i <= parts.size(); ++i) {
    for (Index n = 0; n < gap[i]; ++n) add(one_of(noise_words, random));
    if (i < parts.size()) std::for_each(parts[i].begin(), parts[i].end(), add);
  }
  std::for_each(last.begin(), last.end(), add);
  return text;
}

std::string keyword_text(bool yes, RandomSequence& random) {
  return among_noise({{yes ? one_of(yes_words, random) : one_of(no_words, random)}}, {}, random);
}

/// `count` different numbers below `limit`, in random order.
std::vector<Index> distinct(Index count, Index limit, RandomSequence& random) {
  std::vector<Index> all(limit);
  for (Index i = 0; i < limit; ++i) all[i] = i;
  for (Index i = 0; i < count; ++i) std::swap(all[i], all[i + random.below(limit - i)]);
  all.resize(count);
  return all;
}

std::string majority_text(bool yes, RandomSequence& random) {
  const Index votes = 3 + 2 * random.below(3);
  const Index least = votes / 2 + 1;
  const Index winners = least + random.below(votes - least + 1);
  std::vector<Words> parts;
  for (const Index place : distinct(votes, votes, random)) {
    const bool good = (place < winners) == yes;
    const bool negated = random.chance(0.4);
    const Word word = good != negated ? one_of(good_words, random) : one_of(bad_words, random);
    parts.push_back(negated ? Words{"not", word} : Words{word});
  }
  return among_noise(parts, {}, random);
}

/// A value of the upper half of `values` for yes, of the lower half for no.
Index value_for(bool yes, RandomSequence& random) {
  constexpr Index half = values.size() / 2;
  return random.below(half) + (yes ? half : 0);
}

std::string hard_text(SyntheticKind kind, bool yes, RandomSequence& random) {
  std::vector<Index> slot = distinct(facts, slots.size(), random);
  std::vector<Index> value(facts);
  for (Index& v : value) v = random.below(values.size());
  const Index asked = random.below(facts - 1);  // never the last fact
  Words question;
  if (kind == SyntheticKind::above) {
    const Index bound = random.below(values.size() - 1);
    value[asked] =
        yes ? bound + 1 + random.below(values.size() - 1 - bound) : random.below(bound + 1);
    question = {"above", values[bound], slots[slot[asked]]};
  } else if (kind == SyntheticKind::latest) {
    const Index later = asked + 1 + random.below(facts - 1 - asked);
    slot[later] = slot[asked];
    value[asked] = value_for(!yes, random);
    value[later] = value_for(yes, random);
    question = {"now", slots[slot[asked]]};
  } else {
    value[asked + 1] = value_for(yes, random);
    question = {"next", slots[slot[asked]]};
  }
  std::vector<Words> parts;
  for (Index i = 0; i < facts; ++i)
    parts.push_back({std::string(slots[slot[i]]) + values[value[i]]});
  return among_noise(parts, question, random);
}

// The splits take their examples from far-apart parts of one sequence.
constexpr std::uint64_t split_distance = std::uint64_t{1} << 40;
constexpr Index fewest_test_rows = 100;

}  // namespace

std::string to_string(Difficulty difficulty) {
  return difficulty_names.at(static_cast<Index>(difficulty));
}

std::string to_string(SyntheticKind kind) { return kind_names.at(static_cast<Index>(kind)); }

Example synthetic_example(std::uint64_t seed, std::uint64_t index, Difficulty difficulty) {
  // Index in the stream, so that neighbouring examples are unrelated; +2 leaves the streams of the
  // row order alone.
  RandomSequence random(seed, index + 2);
  Example example;
  const bool yes = random.chance(0.5);
  example.label = yes ? 1 : 0;
  example.difficulty = static_cast<int>(difficulty);
  SyntheticKind kind = SyntheticKind::keyword;
  if (difficulty == Difficulty::medium) kind = SyntheticKind::majority;
  if (difficulty == Difficulty::hard) {
    kind = std::array{SyntheticKind::above, SyntheticKind::latest,
                      SyntheticKind::next}[random.below(3)];
  }
  example.kind = static_cast<int>(kind);
  if (difficulty == Difficulty::easy) {
    example.text = keyword_text(yes, random);
  } else if (difficulty == Difficulty::medium) {
    example.text = majority_text(yes, random);
  } else {
    example.text = hard_text(kind, yes, random);
  }
  return example;
}

Example synthetic_example(std::uint64_t seed, std::uint64_t index, const std::string& difficulty) {
  if (difficulty == "mixed") {
    return synthetic_example(seed, index, static_cast<Difficulty>(index % 3));
  }
  const auto found = std::find(difficulty_names.begin(), difficulty_names.end(), difficulty);
  require(found != difficulty_names.end(),
          "synthetic: difficulty must be easy, medium, hard or mixed, got \"", difficulty, "\"");
  return synthetic_example(seed, index, static_cast<Difficulty>(found - difficulty_names.begin()));
}

Dataset synthetic_dataset(const DatasetOptions& options) {
  Dataset data;
  data.name = "synthetic";
  data.class_names = {"no", "yes"};
  const Index held_out = std::max(fewest_test_rows, options.rows / 10);
  const auto fill = [&](std::vector<Example>& rows, Index count, std::uint64_t part) {
    rows.reserve(count);
    for (Index i = 0; i < count; ++i) {
      const std::uint64_t index = part * split_distance + i;
      rows.push_back(synthetic_example(options.seed, index, options.difficulty));
    }
  };
  fill(data.train, options.rows, 0);
  fill(data.validation, held_out, 1);
  fill(data.test, held_out, 2);
  data.notes.push_back("generated texts, difficulty " + options.difficulty + ", seed " +
                       std::to_string(options.seed));
  complete_splits(data, options);
  return data;
}

}  // namespace bf
