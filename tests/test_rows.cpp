#include "train/rows.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace bf;

namespace {

/// Rows from a list; the label "!" stands for a row that cannot be read.
class ListedRows : public RowReader {
 public:
  explicit ListedRows(std::vector<Row> rows) : rows_(std::move(rows)) {}
  bool next(Row& row) override {
    if (at_ == rows_.size()) return false;
    row = rows_[at_++];
    if (row.label == "!") throw BadRow(place() + ": cannot be read");
    return true;
  }
  std::string place() const override { return "list:" + std::to_string(at_); }

 private:
  std::vector<Row> rows_;
  Index at_ = 0;
};

std::string failure(LabelSet& labels, const std::string& label) {
  try {
    labels.number(label);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("rows: numbered labels are shifted to 0 and checked") {
  LabelSet labels = LabelSet::numbers(1, {"World", "Sports", "Business", "Sci/Tech"});
  CHECK(labels.number("1") == 0);
  CHECK(labels.number("4") == 3);
  CHECK(failure(labels, "5") == "label 5 outside 1..4");
  CHECK(failure(labels, "0") == "label 0 outside 1..4");
  CHECK(failure(labels, "-1") == "label -1 outside 1..4");
  for (const std::string odd : {"", "x", "1.5", " 1", "1 "}) {
    CHECK(failure(labels, odd) == "label \"" + odd + "\" is not a whole number of 1..4");
  }
}

TEST_CASE("rows: labels numbered from 0 stay as they are") {
  LabelSet labels = LabelSet::numbers(0, {"negative", "positive"});
  CHECK(labels.number("0") == 0);
  CHECK(labels.number("1") == 1);
  CHECK(failure(labels, "2") == "label 2 outside 0..1");
  CHECK(failure(labels, "-1") == "label -1 outside 0..1");
}

TEST_CASE("rows: fixed names are checked") {
  LabelSet labels = LabelSet::fixed({"neg", "pos"});
  CHECK(labels.number("pos") == 1);
  CHECK(failure(labels, "Pos") == "label \"Pos\" is none of neg, pos");
}

TEST_CASE("rows: an open set is sorted when it closes, whole numbers by value") {
  LabelSet words = LabelSet::open();
  std::vector<Example> examples(3);
  examples[0].label = words.number("pear");
  examples[1].label = words.number("apple");
  examples[2].label = words.number("pear");
  words.close(examples);
  CHECK(words.names() == std::vector<std::string>{"apple", "pear"});
  CHECK(examples[0].label == 1);
  CHECK(examples[1].label == 0);
  CHECK(examples[2].label == 1);
  CHECK(words.number("pear") == 1);
  CHECK(failure(words, "plum") == "label \"plum\" does not occur in the training rows");

  LabelSet numbers = LabelSet::open();
  examples.clear();
  for (const char* label : {"10", "9", "1"}) numbers.number(label);
  numbers.close(examples);
  CHECK(numbers.names() == std::vector<std::string>{"1", "9", "10"});
}

TEST_CASE("rows: an open set refuses an empty label and a column of texts") {
  LabelSet labels = LabelSet::open();
  CHECK(failure(labels, "") == "the label is empty");
  for (int i = 0; i < 1000; ++i) labels.number("text " + std::to_string(i));
  CHECK(failure(labels, "one more") ==
        "more than 1000 different labels: is the label column the right one?");
}

TEST_CASE("rows: texts are cleaned") {
  LabelSet labels = LabelSet::fixed({"a"});
  std::vector<std::string> notes;
  ListedRows rows({{"a", " x<br />y ", "&lt;z&gt;"}});
  const auto examples = collect_rows(rows, "train", labels, {}, notes);
  REQUIRE(examples.size() == 1);
  CHECK(examples[0].text == "x y");
  CHECK(examples[0].second == "<z>");
  CHECK(notes.empty());
}

TEST_CASE("rows: a bad row stops with its place, or is skipped and counted") {
  LabelSet labels = LabelSet::fixed({"a", "b"});
  std::vector<std::string> notes;
  const std::vector<Row> list{{"a", "x", ""}, {"c", "y", ""}, {"!", "", ""}, {"b", "z", ""}};
  ListedRows strict(list);
  CHECK_THROWS_WITH_AS(collect_rows(strict, "train", labels, {}, notes),
                       "list:2: label \"c\" is none of a, b", BadRow);
  ListedRows lenient(list);
  CHECK(collect_rows(lenient, "train", labels, {true, ""}, notes).size() == 2);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "train: 2 bad rows skipped, the first: list:2: label \"c\" is none of a, b");
}

TEST_CASE("rows: rows without a label are dropped and counted, empty texts kept and counted") {
  LabelSet labels = LabelSet::fixed({"a", "b"});
  std::vector<std::string> notes;
  ListedRows rows({{"-", "x", ""}, {"a", " \x01", ""}, {"-", "y", ""}, {"b", "", "z"}});
  CHECK(collect_rows(rows, "dev", labels, {false, "-"}, notes).size() == 2);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] == "dev: 2 rows without a label (\"-\") dropped");
  CHECK(notes[1] == "dev: 1 empty text kept; a tokenizer makes one [UNK] of each");
}
