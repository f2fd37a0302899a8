#include "train/tokenizer.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using namespace bf;

namespace {

/// One id for each byte: 'a' is 3, 'b' is 4 ...; blanks give none.
class LetterTokenizer : public Tokenizer {
 public:
  Index vocabulary_size() const override { return 29; }
  std::string token(std::int32_t) const override { return ""; }
  nlohmann::json to_json() const override { return {}; }

 protected:
  std::vector<std::int32_t> sentence_ids(std::string_view text, Index limit) const override {
    std::vector<std::int32_t> ids;
    for (const char c : text) {
      if (ids.size() < limit && c >= 'a' && c <= 'z') ids.push_back(c - 'a' + 3);
    }
    return ids;
  }
};

/// Written with the letters again, [UNK] as "?" and [SEP] as "|".
std::string encoded(const std::string& text, const std::string& second, Index max_length) {
  std::string result;
  for (const std::int32_t id : LetterTokenizer().encode(text, second, max_length)) {
    result += id == Tokenizer::unknown     ? '?'
              : id == Tokenizer::separator ? '|'
                                           : static_cast<char>('a' + id - 3);
  }
  return result;
}

std::vector<Example> one_text(const std::string& text) {
  std::vector<Example> examples(1);
  examples[0].text = text;
  return examples;
}

}  // namespace

TEST_CASE("tokenizer: a text is cut at the end") {
  CHECK(encoded("abcdef", "", 10) == "abcdef");
  CHECK(encoded("abcdef", "", 4) == "abcd");
  CHECK(encoded("abcdef", "", 1) == "a");
}

TEST_CASE("tokenizer: a pair stays separable, and its order matters") {
  CHECK(encoded("abc", "def", 10) == "abc|def");
  CHECK(encoded("def", "abc", 10) == "def|abc");
}

TEST_CASE("tokenizer: of a long pair the longer sentence is cut first") {
  CHECK(encoded("abcdefgh", "xyz", 8) == "abcd|xyz");
  CHECK(encoded("xyz", "abcdefgh", 8) == "xyz|abcd");
  CHECK(encoded("abcdefgh", "stuvwxyz", 8) == "abcd|stu");
  CHECK(encoded("abcdefgh", "stuvwxyz", 3) == "a|s");
  CHECK(encoded("abcd", "xyz", 8) == "abcd|xyz");
}

TEST_CASE("tokenizer: a sentence without tokens is one [UNK]") {
  CHECK(encoded("", "", 10) == "?");
  CHECK(encoded("   ", "", 10) == "?");
  CHECK(encoded("", "ab", 10) == "?|ab");
  CHECK(encoded("ab", " ", 10) == "ab|?");
}

TEST_CASE("tokenizer: a length that leaves no room is refused") {
  CHECK_THROWS_WITH_AS(encoded("a", "", 0), "encode: max_length must be at least 1, got 0",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(encoded("a", "b", 2),
                       "encode: max_length must be at least 3 for a pair, got 2",
                       std::invalid_argument);
}

TEST_CASE("tokenizer: degenerate texts have an outcome each") {
  const auto tokenizer = build_tokenizer("word", one_text("word"), 10);
  using Ids = std::vector<std::int32_t>;
  const Ids unknown{Tokenizer::unknown};
  CHECK(tokenizer->encode("", "", 128) == unknown);
  CHECK(tokenizer->encode("   ", "", 128) == unknown);
  CHECK(tokenizer->encode("\x01\x02\x1f\x7f", "", 128) == unknown);
  std::string lengthy;
  for (int i = 0; i < 10000; ++i) lengthy += "word ";
  CHECK(tokenizer->encode(lengthy, "", 128) == Ids(128, 3));
}

TEST_CASE("tokenizer: an unknown name lists the known ones") {
  CHECK_THROWS_WITH_AS(build_tokenizer("letters", {}, 10),
                       "--tokenizer: expected one of word, got \"letters\"", std::invalid_argument);
  CHECK(tokenizer_names() == std::vector<std::string>{"word"});
}

TEST_CASE("tokenizer: it is made again from its JSON") {
  const auto tokenizer = build_tokenizer("word", one_text("one two"), 10);
  const auto copy = tokenizer_from_json(tokenizer->to_json());
  CHECK(copy->encode("two one", "", 9) == tokenizer->encode("two one", "", 9));
  CHECK_THROWS_WITH_AS(tokenizer_from_json(nlohmann::json::object()),
                       "tokenizer: no \"type\" in its JSON", std::runtime_error);
  CHECK_THROWS_WITH_AS(tokenizer_from_json({{"type", "letters"}}),
                       "tokenizer: expected type \"word\", got \"letters\"", std::runtime_error);
}
