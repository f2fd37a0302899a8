#pragma once

#include <cstdint>

#include "train/dataset.h"

namespace bf {

enum class Difficulty { easy = 0, medium = 1, hard = 2 };
constexpr Index difficulty_count = 3;

/// The tasks; Example::kind holds the number. All have two classes, "no" (0) and "yes" (1).
///   keyword   easy    one word among noise decides: ten words mean yes, ten mean no
///   majority  medium  3, 5 or 7 votes ("good" or "bad" words); "not" turns the next one around;
///                     yes if the good ones are in the majority
///   above     hard    three facts such as "cuptwo" (slot cup, value two) among noise, then "above
///                     one cup": is the value of the cup greater than one?
///   latest    hard    "now cup": two facts tell of the cup; is the value of the later one high
///                     (three or four)?
///   next      hard    "next cup": is the value of the fact told after that of the cup high?
/// A hard text needs a look-up: attention from the question to the fact it asks about, by slot, by
/// slot and order, or by order from there. A single word tells little: the other facts are random.
enum class SyntheticKind { keyword = 0, majority = 1, above = 2, latest = 3, next = 4 };
constexpr Index synthetic_kind_count = 5;

/// "easy", "keyword" and so on. Throw std::out_of_range for a number that is none of them.
std::string to_string(Difficulty difficulty);
std::string to_string(SyntheticKind kind);

/// The example number `index` of the sequence `seed`: 16 to 24 words for every difficulty, so the
/// length does not tell it. It depends on these three numbers alone, not on how many are made.
/// The kind of a hard example and the label are drawn at random.
Example synthetic_example(std::uint64_t seed, std::uint64_t index, Difficulty difficulty);

/// `options.rows` training examples and a tenth as many (at least 100) for validation and for
/// test, from parts of the sequence that never meet. `mixed` takes easy, medium and hard in turn.
/// `train_rows` cuts the training rows. Throws std::invalid_argument for an unknown difficulty.
Dataset synthetic_dataset(const DatasetOptions& options);

/// Example `index` for `difficulty` as an option names it ("mixed" alternates).
Example synthetic_example(std::uint64_t seed, std::uint64_t index, const std::string& difficulty);

}  // namespace bf
