#include "train/word_tokenizer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "train/clean_text.h"

using namespace bf;

namespace {

std::vector<Example> texts(const std::vector<std::string>& list) {
  std::vector<Example> examples(list.size());
  for (Index i = 0; i < list.size(); ++i) examples[i].text = list[i];
  return examples;
}

std::vector<std::string> tokens_of(const Tokenizer& tokenizer) {
  std::vector<std::string> tokens;
  for (Index id = 0; id < tokenizer.vocabulary_size(); ++id) {
    tokens.push_back(tokenizer.token(static_cast<std::int32_t>(id)));
  }
  return tokens;
}

std::string failure(const nlohmann::json& json) {
  try {
    WordTokenizer::from_json(json);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

using Tokens = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("word_tokenizer: ids fall with frequency, ties in byte order, whatever the text order") {
  const Tokens expected{"[PAD]", "[UNK]", "[SEP]", "the", "b", "a", "c"};
  const auto first = WordTokenizer::build(texts({"The the b", "a c the b"}), 100, 1);
  const auto second = WordTokenizer::build(texts({"a c the b", "The the b"}), 100, 1);
  CHECK(tokens_of(first) == expected);
  CHECK(tokens_of(second) == expected);
}

TEST_CASE("word_tokenizer: size and smallest count bound the vocabulary") {
  const auto list = texts({"a a a b b c"});
  CHECK(tokens_of(WordTokenizer::build(list, 5, 1)) == Tokens{"[PAD]", "[UNK]", "[SEP]", "a", "b"});
  CHECK(WordTokenizer::build(list, 100, 3).vocabulary_size() == 4);
  CHECK_THROWS_WITH_AS(WordTokenizer::build(list, 3, 1),
                       "tokenizer: the vocabulary needs from 4 to 2147483647 tokens, got 3",
                       std::invalid_argument);
}

TEST_CASE("word_tokenizer: second sentences count too") {
  auto list = texts({"a"});
  list[0].second = "b b";
  CHECK(tokens_of(WordTokenizer::build(list, 10, 1)).at(3) == "b");
}

TEST_CASE("word_tokenizer: cleaned markup leaves words and marks only") {
  const auto tokenizer = WordTokenizer::build(texts({clean_text("Great.<br /><br />Bad")}), 10, 1);
  CHECK(tokens_of(tokenizer) == Tokens{"[PAD]", "[UNK]", "[SEP]", ".", "bad", "great"});
  CHECK(tokenizer.encode("Great. Bad", "", 10) == Ids{5, 3, 4});
}

TEST_CASE("word_tokenizer: unknown words are [UNK], and text cannot write special tokens") {
  const auto tokenizer = WordTokenizer::build(texts({"a b [ ] sep pad unk"}), 100, 1);
  CHECK(tokenizer.encode("A z", "", 10)[1] == Tokenizer::unknown);
  for (const std::int32_t id : tokenizer.encode("[PAD] [SEP] [UNK]", "", 10)) {
    CHECK(id >= static_cast<std::int32_t>(Tokenizer::special_tokens));
  }
}

TEST_CASE("word_tokenizer: JSON and back gives the same ids") {
  const auto tokenizer = WordTokenizer::build(texts({"Été à la plage", "été \"x\" 日"}), 100, 1);
  const auto copy = WordTokenizer::from_json(nlohmann::json::parse(tokenizer.to_json().dump()));
  CHECK(tokens_of(copy) == tokens_of(tokenizer));
  CHECK(copy.encode("été à 日 y", "x", 10) == tokenizer.encode("été à 日 y", "x", 10));
}

TEST_CASE("word_tokenizer: JSON that is no vocabulary is refused") {
  const Tokens special{"[PAD]", "[UNK]", "[SEP]"};
  CHECK(failure({{"type", "word"}}) == "tokenizer: \"tokens\" is missing or no list");
  CHECK(failure({{"tokens", {"[PAD]", 1}}}) == "tokenizer: token 1 is not a text but number");
  CHECK(failure({{"tokens", {"a", "b", "c", "d"}}}) ==
        "tokenizer: the first tokens are not [PAD], [UNK], [SEP]");
  CHECK(failure({{"tokens", {"[PAD]", "[UNK]", "[SEP]", "a", "a"}}}) ==
        "tokenizer: token \"a\" occurs twice");
}

TEST_CASE("word_tokenizer: an id outside the vocabulary is named") {
  const auto tokenizer = WordTokenizer::build(texts({"a"}), 10, 1);
  CHECK_THROWS_WITH_AS(tokenizer.token(4), "token: id 4 is outside the vocabulary of 4",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(tokenizer.token(-1), "token: id -1 is outside the vocabulary of 4",
                       std::invalid_argument);
}
