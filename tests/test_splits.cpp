#include "train/splits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

using namespace bf;

namespace {

/// `count` rows sorted by class, each with its number as text.
Dataset sorted_rows(Index count, int classes) {
  Dataset data;
  data.name = "listed";
  for (int c = 0; c < classes; ++c) data.class_names.push_back("class " + std::to_string(c));
  for (Index i = 0; i < count; ++i) {
    Example example;
    example.text = std::to_string(i);
    example.label = static_cast<int>(i * static_cast<Index>(classes) / count);
    data.train.push_back(example);
  }
  return data;
}

std::string failure(Dataset data, const DatasetOptions& options = {}) {
  try {
    complete_splits(data, options);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

std::set<std::string> texts(const std::vector<Example>& rows) {
  std::set<std::string> found;
  for (const Example& row : rows) found.insert(row.text);
  return found;
}

bool has_note(const Dataset& data, const std::string& part) {
  return std::any_of(data.notes.begin(), data.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("splits: what is missing is taken from the training rows, nothing twice") {
  Dataset data = sorted_rows(100, 2);
  complete_splits(data, {});
  CHECK(data.train.size() == 80);
  CHECK(data.validation.size() == 10);
  CHECK(data.test.size() == 10);
  std::set<std::string> all = texts(data.train);
  all.merge(texts(data.validation));
  all.merge(texts(data.test));
  CHECK(all.size() == 100);
  CHECK(has_note(data, "validation: the set has none, so 10 rows were taken"));
}

TEST_CASE("splits: existing splits stay as they are") {
  Dataset data = sorted_rows(100, 2);
  data.validation = sorted_rows(7, 2).train;
  data.test = sorted_rows(5, 2).train;
  complete_splits(data, {});
  CHECK(data.train.size() == 100);
  CHECK(data.validation.size() == 7);
  CHECK(data.test[0].text == "0");
  CHECK(data.notes.empty());
}

TEST_CASE("splits: a sample has exactly its size and mixes the classes of a sorted set") {
  Dataset data = sorted_rows(10000, 2);
  data.test = sorted_rows(5, 2).train;
  DatasetOptions options;
  options.train_rows = 1000;
  complete_splits(data, options);
  CHECK(data.train.size() == 1000);
  CHECK(data.validation.size() == 100);
  const auto first = std::count_if(data.train.begin(), data.train.begin() + 100,
                                   [](const Example& row) { return row.label == 0; });
  CHECK(first > 30);
  CHECK(first < 70);
  CHECK(has_note(data, "train: 1000 of 10000 rows, a sample with seed 0"));
}

TEST_CASE("splits: a larger sample than there are rows is all of them, and says so") {
  Dataset data = sorted_rows(100, 2);
  DatasetOptions options;
  options.train_rows = 5000;
  complete_splits(data, options);
  CHECK(data.train.size() == 80);
  CHECK(has_note(data, "train: 80 of 100 rows"));
}

TEST_CASE("splits: the seed decides") {
  Dataset a = sorted_rows(100, 2), b = a, c = a;
  DatasetOptions other;
  other.seed = 1;
  complete_splits(a, {});
  complete_splits(b, {});
  complete_splits(c, other);
  CHECK(texts(a.test) == texts(b.test));
  CHECK(a.train[0].text == b.train[0].text);
  CHECK(texts(a.test) != texts(c.test));
}

TEST_CASE("splits: no rows, too few rows and one class are errors") {
  CHECK(failure(sorted_rows(0, 2)) == "listed: no training rows");
  CHECK(failure(sorted_rows(1, 2)) ==
        "listed: 1 training rows are too few to take a test split from them");
  CHECK(failure(sorted_rows(1000, 1)) ==
        "listed: train: 1 class seen of 1 (class 0); training needs at least two");
  Dataset one_of_two = sorted_rows(2000, 2);
  one_of_two.train.resize(1000);
  CHECK(failure(one_of_two) ==
        "listed: train: 1 class seen of 2 (class 0); training needs at least two");
}

TEST_CASE("splits: classes that do not occur are noted") {
  Dataset data = sorted_rows(100, 2);
  data.class_names.push_back("class 2");
  complete_splits(data, {});
  CHECK(has_note(data, "train: 2 classes seen of 3"));
  Dataset sorted_test = sorted_rows(100, 2);
  sorted_test.test.assign(sorted_test.train.begin(), sorted_test.train.begin() + 10);
  complete_splits(sorted_test, {});
  CHECK(has_note(sorted_test, "test: 1 class seen of 2"));
  CHECK(classes_missing("test", sorted_rows(10, 2).train, {"a", "b"}) == "");
  CHECK(classes_missing("test", sorted_rows(10, 1).train, {"a\x1b[2J\u2028b", "b"}) ==
        "test: 1 class seen of 2 (a [2J b)");
  CHECK(classes_missing("test", sorted_rows(10, 1).train, {"a", "b"}) ==
        "test: 1 class seen of 2 (a)");
}

TEST_CASE("splits: a list of rows is held out whatever the options say") {
  Dataset data = sorted_rows(100, 2);
  hold_out(data, 0.1, 3);
  CHECK(data.train.size() == 80);
  CHECK(data.validation.size() == 10);
  CHECK(data.test.size() == 10);
  Dataset few = sorted_rows(2, 2);
  CHECK_THROWS_WITH_AS(hold_out(few, 0.1, 3), "listed: 2 rows are too few to hold some out",
                       std::runtime_error);
}

TEST_CASE("splits: a fraction outside (0, 1) is refused") {
  Dataset data = sorted_rows(100, 2);
  DatasetOptions options;
  options.validation_fraction = 0;
  CHECK_THROWS_WITH_AS(complete_splits(data, options),
                       "validation fraction: expected a number between 0 and 1, got 0",
                       std::invalid_argument);
}
