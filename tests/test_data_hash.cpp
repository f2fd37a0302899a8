#include "train/data_hash.h"

#include <doctest/doctest.h>

#include <functional>

#include "tests/small_task.h"

using namespace bf;

namespace {

TokenizedData small_data(const std::string& word = "three") {
  std::vector<Example> texts(2);
  texts[0].text = "one two " + word, texts[1].text = "four five";
  TokenizedData data;
  data.class_names = {"a", "b"};
  data.tokenizer = build_tokenizer("word", texts, 100);
  data.train = {{{3, 4}, {5}}, {0, 1}};
  data.validation = {{{3}}, {1}};
  data.test = {{{4, 5}}, {0}};
  return data;
}

}  // namespace

TEST_CASE("data_hash: the same for the same data, 16 digits") {
  const std::string hash = data_hash(small_data());
  CHECK(hash.size() == 16);
  CHECK(hash.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(data_hash(small_data()) == hash);
}

TEST_CASE("data_hash: every part counts") {
  const std::string hash = data_hash(small_data());
  CHECK(data_hash(small_data("seven")) != hash);  // other words under the same ids
  const std::vector<std::function<void(TokenizedData&)>> changes = {
      [](TokenizedData& d) { d.class_names[1] = "c"; },
      [](TokenizedData& d) { d.train.tokens[1][0] = 6; },
      [](TokenizedData& d) { d.train.labels[0] = 1; },
      [](TokenizedData& d) { std::swap(d.train.tokens[0], d.train.tokens[1]); },
      [](TokenizedData& d) {
        d.train.tokens = {{3}, {4, 5}};
      },  // a border that moved
      [](TokenizedData& d) { d.validation.tokens[0][0] = 4; },
      [](TokenizedData& d) { d.validation.labels[0] = 0; },
      [](TokenizedData& d) { d.test.tokens[0].pop_back(); },
      [](TokenizedData& d) { d.test.labels[0] = 1; },
      [](TokenizedData& d) { std::swap(d.validation, d.test); }};
  for (Index i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    TokenizedData data = small_data();
    changes[i](data);
    CHECK(data_hash(data) != hash);
  }
}

TEST_CASE("data_hash: of weights") {
  Model a = make_model(small_model("mha")), b = make_model(small_model("mha"));
  CHECK(weights_hash(*a.net).size() == 16);
  CHECK(weights_hash(*a.net) == weights_hash(*b.net));
  b.net->named_parameters().back().variable->mutable_value()[0] += Real(1);
  CHECK(weights_hash(*a.net) != weights_hash(*b.net));
}
