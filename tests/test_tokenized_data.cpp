#include "train/tokenized_data.h"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace bf;

namespace {

Example example(const std::string& text, int label) {
  Example made;
  made.text = text;
  made.label = label;
  return made;
}

Dataset two_texts() {
  Dataset data;
  data.name = "two";
  data.class_names = {"no", "yes"};
  data.train = {example("good good film", 1), example("bad film", 0)};
  data.validation = {example("", 0)};
  data.test = {example("good new film film film", 1)};
  return data;
}

}  // namespace

TEST_CASE("tokenized_data: the vocabulary comes from the training rows, lengths are cut") {
  const TokenizedData data = tokenize(two_texts(), {.min_count = 1, .max_length = 4});
  CHECK(data.train.labels == std::vector<Id>{1, 0});
  CHECK(data.train.tokens[0].size() == 3);
  CHECK(data.train.tokens[0][0] == data.train.tokens[0][1]);
  CHECK(data.train.tokens[0][2] == data.train.tokens[1][1]);
  REQUIRE(data.test.tokens[0].size() == 4);
  CHECK(data.test.tokens[0][1] == Tokenizer::unknown);
  CHECK(data.class_names.size() == 2);
}

TEST_CASE("tokenized_data: difficulties and kinds are kept where every example has them") {
  Dataset data = two_texts();
  CHECK(tokenize(data, {.min_count = 1}).train.difficulties.empty());
  data.train[0].difficulty = 2, data.train[0].kind = 4;
  CHECK(tokenize(data, {.min_count = 1}).train.difficulties.empty());
  data.train[1].difficulty = 0, data.train[1].kind = 1;
  const TokenizedData tokenized = tokenize(data, {.min_count = 1});
  CHECK(tokenized.train.difficulties == std::vector<int>{2, 0});
  CHECK(tokenized.train.kinds == std::vector<int>{4, 1});
  CHECK(tokenized.test.kinds.empty());
}

TEST_CASE("tokenized_data: an empty text is one unknown token") {
  const TokenizedData data = tokenize(two_texts(), {.min_count = 1});
  CHECK(data.validation.tokens[0] == std::vector<Id>{Tokenizer::unknown});
}

TEST_CASE("tokenized_data: a length that cannot hold a pair is an error") {
  Dataset data = two_texts();
  data.train[0].second = "and more";
  CHECK_THROWS_WITH_AS(tokenize(data, {.min_count = 1, .max_length = 2}),
                       "tokenize: pairs of sentences need a max_length of at least 3, got 2",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(tokenize(data, {.min_count = 1, .max_length = 0}),
                       "tokenize: max_length must be at least 1", std::invalid_argument);
}
