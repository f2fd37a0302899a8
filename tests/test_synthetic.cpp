#include "train/synthetic.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace bf;

namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

const std::vector<std::string> numbers{"one", "two", "three", "four"};
const std::set<std::string> good{"good",  "fine",   "lovely",  "great",
                                 "sweet", "bright", "helpful", "clever"};
const std::set<std::string> bad{"bad", "poor", "awful", "dull", "sour", "dark", "rude", "silly"};

int majority_answer(const Words& words) {
  int balance = 0;
  for (Index i = 0; i < words.size(); ++i) {
    const int vote = good.count(words[i]) != 0 ? 1 : bad.count(words[i]) != 0 ? -1 : 0;
    balance += i > 0 && words[i - 1] == "not" ? -vote : vote;
  }
  REQUIRE(balance != 0);
  return balance > 0 ? 1 : 0;
}

struct Fact {
  std::string slot;
  int value;  ///< from 1
};

/// The number that ends the word, from 1; 0 without one.
int number_at_end(const std::string& word) {
  for (Index i = 0; i < numbers.size(); ++i) {
    if (word.ends_with(numbers[i])) return static_cast<int>(i + 1);
  }
  return 0;
}

/// Looks the slot of the question up in the text, as a reader would.
int hard_answer(const Words& words) {
  const std::string asked = words.back();
  const bool above = words[words.size() - 3] == "above";
  std::vector<Fact> facts;
  for (Index i = 0; i + (above ? 3 : 2) < words.size(); ++i) {
    const int value = number_at_end(words[i]);
    if (value == 0) continue;
    const std::string number = numbers[static_cast<Index>(value - 1)];
    facts.push_back({words[i].substr(0, words[i].size() - number.size()), value});
  }
  CHECK(facts.size() == 3);
  Index first = 0;
  while (facts.at(first).slot != asked) ++first;
  if (above) return facts[first].value > number_at_end(words[words.size() - 2]) ? 1 : 0;
  const std::string question = words[words.size() - 2];
  if (question == "next") return facts.at(first + 1).value > 2 ? 1 : 0;
  REQUIRE(question == "now");
  Index later = first + 1;
  while (facts.at(later).slot != asked) ++later;
  return facts[later].value > 2 ? 1 : 0;
}

}  // namespace

TEST_CASE("synthetic: the label is what a reader of the text would answer") {
  for (std::uint64_t i = 0; i < 600; ++i) {
    const Example medium = synthetic_example(5, i, Difficulty::medium);
    CHECK(medium.kind == static_cast<int>(SyntheticKind::majority));
    CHECK(majority_answer(words_of(medium.text)) == medium.label);
    const Example hard = synthetic_example(5, i, Difficulty::hard);
    CHECK(hard_answer(words_of(hard.text)) == hard.label);
  }
}

TEST_CASE("synthetic: one keyword decides an easy text") {
  std::map<std::string, std::set<int>> labels;
  std::map<std::string, int> texts;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const Example easy = synthetic_example(1, i, Difficulty::easy);
    const Words words = words_of(easy.text);
    for (const std::string& word : std::set<std::string>(words.begin(), words.end())) {
      labels[word].insert(easy.label);
      ++texts[word];
    }
  }
  // Words that occur with one label only: the 20 keywords, one in every text.
  int keywords = 0, covered = 0;
  for (const auto& [word, seen] : labels) {
    if (seen.size() > 1) continue;
    ++keywords;
    covered += texts[word];
  }
  CHECK(keywords == 20);
  CHECK(covered == 4000);
}

TEST_CASE("synthetic: classes and kinds are balanced, and no single word gives a hard one away") {
  std::map<int, int> kinds;
  std::map<std::string, std::pair<int, int>> with_word;
  int yes = 0;
  const int count = 6000;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Example hard = synthetic_example(9, i, Difficulty::hard);
    yes += hard.label;
    ++kinds[hard.kind];
    const Words words = words_of(hard.text);
    for (const std::string& word : std::set<std::string>(words.begin(), words.end())) {
      ++with_word[word].first;
      with_word[word].second += hard.label;
    }
  }
  // Standard deviation of the share of 6000: 0.0065.
  CHECK(yes > count * 0.47);
  CHECK(yes < count * 0.53);
  CHECK(kinds.size() == 3);
  for (const auto& [kind, number] : kinds) CHECK(number > count * 0.29);
  for (const auto& entry : with_word) {
    const auto& seen = entry.second;
    if (seen.first < 500) continue;
    CAPTURE(entry.first);
    const double share = static_cast<double>(seen.second) / seen.first;
    CHECK(share > 0.3);  // a fact may be the one that is asked about
    CHECK(share < 0.7);
  }
}

TEST_CASE("synthetic: small vocabulary, and lengths that do not tell the difficulty") {
  std::set<std::string> vocabulary;
  for (const Difficulty difficulty : {Difficulty::easy, Difficulty::medium, Difficulty::hard}) {
    double total = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const Words words = words_of(synthetic_example(2, i, difficulty).text);
      CHECK(words.size() >= 16);
      CHECK(words.size() <= 24);
      total += static_cast<double>(words.size());
      vocabulary.insert(words.begin(), words.end());
    }
    CHECK(total / 1000 == doctest::Approx(20).epsilon(0.02));
  }
  CHECK(vocabulary.size() < 120);
}

TEST_CASE("synthetic: an example depends on seed and index alone") {
  DatasetOptions options;
  options.name = "synthetic";
  options.rows = 300;
  const Dataset few = synthetic_dataset(options);
  CHECK(few.train.size() == 300);
  CHECK(few.validation.size() == 100);
  CHECK(few.test.size() == 100);
  std::set<std::string> generated, expected;
  for (std::uint64_t i = 0; i < 300; ++i) {
    expected.insert(synthetic_example(0, i, "mixed").text);
    CHECK(synthetic_example(0, i, "mixed").difficulty == static_cast<int>(i % 3));
  }
  for (const Example& example : few.train) generated.insert(example.text);
  CHECK(generated == expected);
  for (const Example& example : few.test) CHECK(generated.count(example.text) == 0);
  CHECK(synthetic_example(1, 0, "hard").text != synthetic_example(0, 0, "hard").text);
}

TEST_CASE("synthetic: an unknown difficulty is refused") {
  CHECK_THROWS_WITH_AS(synthetic_example(0, 0, "harder"),
                       "synthetic: difficulty must be easy, medium, hard or mixed, got \"harder\"",
                       std::invalid_argument);
}

TEST_CASE("synthetic: difficulties and kinds have names") {
  CHECK(to_string(Difficulty::medium) == "medium");
  CHECK(to_string(SyntheticKind::latest) == "latest");
  CHECK_THROWS_AS(to_string(static_cast<Difficulty>(3)), std::out_of_range);
}
