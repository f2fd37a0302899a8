#include "train/data_summary.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace bf;

namespace {

/// Texts of the given numbers of words; text i has label i modulo 2.
std::vector<Example> texts(const std::vector<int>& lengths) {
  std::vector<Example> rows(lengths.size());
  for (Index i = 0; i < rows.size(); ++i) {
    for (int word = 0; word < lengths[i]; ++word) rows[i].text += "word ";
    rows[i].label = static_cast<int>(i % 2);
  }
  return rows;
}

}  // namespace

TEST_CASE("data_summary: rows, classes and lengths") {
  std::vector<int> lengths;
  for (int i = 1; i <= 100; ++i) lengths.push_back(i);
  const auto rows = texts(lengths);
  const auto tokenizer = build_tokenizer("word", rows, 10);
  const SplitSummary summary = summarise(rows, 2, *tokenizer, 90);
  CHECK(summary.rows == 100);
  CHECK(summary.rows_per_class == std::vector<Index>{50, 50});
  CHECK(summary.tokens == 5050);
  CHECK(summary.mean_tokens == doctest::Approx(50.5));
  CHECK(summary.median_tokens == 50);
  CHECK(summary.p95_tokens == 95);
  CHECK(summary.longest == 100);
  CHECK(summary.cut_rows == 10);
  CHECK(summary.unknown_share == 0);
  CHECK(summary.empty_rows == 0);
}

TEST_CASE("data_summary: unknown and empty texts, pairs count both sentences and the separator") {
  const auto tokenizer = build_tokenizer("word", texts({1}), 10);
  auto rows = texts({3, 0, 1});
  rows[2].second = "strange";
  const SplitSummary summary = summarise(rows, 2, *tokenizer, 100);
  CHECK(summary.tokens == 7);
  CHECK(summary.empty_rows == 1);
  CHECK(summary.unknown_share == doctest::Approx(2.0 / 7));
  CHECK(summary.longest == 3);
}

TEST_CASE("data_summary: no rows give zeros, a wrong label is an error") {
  const auto tokenizer = build_tokenizer("word", texts({1}), 10);
  const SplitSummary summary = summarise({}, 3, *tokenizer, 100);
  CHECK(summary.rows_per_class == std::vector<Index>{0, 0, 0});
  CHECK(summary.mean_tokens == 0);
  CHECK_THROWS_WITH_AS(summarise(texts({1, 1}), 1, *tokenizer, 100),
                       "summarise: label 1 is outside 1 classes", std::invalid_argument);
}

TEST_CASE("data_summary: tokens are shown as the model sees them") {
  const auto tokenizer = build_tokenizer("word", texts({1}), 10);
  CHECK(shown_tokens(*tokenizer, "Word play", "word", 10) ==
        std::vector<std::string>{"word", "[UNK]", "[SEP]", "word"});
}
