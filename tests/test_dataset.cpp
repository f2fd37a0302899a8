#include "train/dataset.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/temp_folder.h"

using namespace bf;

namespace {

DatasetOptions options_for(const std::string& name, const std::string& folder) {
  DatasetOptions options;
  options.name = name;
  options.data_dir = folder;
  return options;
}

std::string failure(const DatasetOptions& options) {
  try {
    load_dataset(options);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool has_note(const Dataset& data, const std::string& part) {
  return std::any_of(data.notes.begin(), data.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

/// The three records that AG News readers get wrong: a backslash before the closing quote, doubled
/// quotes with a comma, and escapes with remains of HTML.
const std::string three_records =
    "\"4\",\"Grid\",\"of the power grid.\\\"\n"
    "\"3\",\"Say \"\"hi\"\"\",\"a, b\\nc\"\n"
    "\"1\",\"Two\\\\lines\",\"x\\$7.7 #39;s &lt;b&gt;\"\n";

}  // namespace

TEST_CASE("dataset: AG News with backslashes, quotes, escapes and HTML") {
  const TempFolder folder;
  folder.write("train.csv", three_records + three_records);
  folder.write_gz("test.csv.gz", three_records);
  const Dataset data = load_dataset(options_for("ag_news", folder.path()));
  REQUIRE(data.test.size() == 3);
  CHECK(data.test[0].label == 3);
  CHECK(data.test[0].text == "Grid of the power grid.");
  CHECK(data.test[1].label == 2);
  CHECK(data.test[1].text == "Say \"hi\" a, b c");
  CHECK(data.test[2].label == 0);
  CHECK(data.test[2].text == "Two lines x$7.7 's <b>");
  CHECK(data.class_names[3] == "Sci/Tech");
  CHECK(data.partial);
  CHECK(has_note(data, "train: 6 of the 120000 rows of the published set"));
}

TEST_CASE("dataset: a label outside the range stops with file and line, or is skipped") {
  const TempFolder folder;
  const std::string path =
      folder.write("train.csv", three_records + "\"5\",\"a\",\"b\"\n" + three_records);
  folder.write("test.csv", three_records);
  DatasetOptions options = options_for("ag_news", folder.path());
  CHECK(failure(options) == path + ":4: label 5 outside 1..4");
  options.skip_bad_rows = true;
  const Dataset data = load_dataset(options);
  CHECK(data.train.size() == 5);
  CHECK(has_note(data, "train: 1 bad row skipped, the first: " + path + ":4: label 5 outside"));
  folder.write("train.csv", "\"0\",\"a\",\"b\"\n");
  CHECK(failure(options_for("ag_news", folder.path())) == path + ":1: label 0 outside 1..4");
}

TEST_CASE("dataset: SNLI drops and counts rows without a gold label, and keeps the pair apart") {
  const TempFolder folder;
  const auto row = [](const std::string& label) {
    return "{\"gold_label\": \"" + label + "\", \"sentence1\": \"A\", \"sentence2\": \"B\"}\n";
  };
  folder.write("snli_1.0_train.jsonl", row("neutral") + row("-") + row("entailment") + row("-"));
  folder.write("snli_1.0_dev.jsonl", row("neutral"));
  folder.write("snli_1.0_test.jsonl", row("contradiction"));
  const Dataset data = load_dataset(options_for("snli", folder.path()));
  CHECK(data.train.size() == 2);
  CHECK(data.train[0].text == "A");
  CHECK(data.train[0].second == "B");
  CHECK(has_note(data, "train: 2 rows without a label (\"-\") dropped"));
}

TEST_CASE("dataset: of a larger SNLI every row without a gold label is dropped, and no other") {
  const TempFolder folder;
  const char* const labels[] = {"neutral", "entailment", "contradiction"};
  // As in the published training rows (785 of 550,152), about one in 701 has none.
  std::string train, held;
  Index dropped = 0;
  for (Index i = 0; i < 7010; ++i) {
    const bool none = i % 701 == 350;
    dropped += none ? 1 : 0;
    const std::string row = std::string("{\"annotator_labels\": [\"neutral\", \"-\"], ") +
                            "\"gold_label\": \"" + (none ? "-" : labels[i % 3]) +
                            "\", \"sentence1\": \"premise " + std::to_string(i) +
                            "\", \"sentence2\": \"-\"}\n";
    train += row;
    if (i < 701) held += row;
  }
  folder.write_gz("snli_1.0_train.jsonl.gz", train);
  folder.write("snli_1.0_dev.jsonl", held);
  folder.write("snli_1.0_test.jsonl", held);
  const Dataset data = load_dataset(options_for("snli", folder.path()));
  CHECK(dropped == 10);
  REQUIRE(data.train.size() == 7000);
  CHECK(data.validation.size() == 700);
  CHECK(data.test.size() == 700);
  CHECK(has_note(data, "train: 10 rows without a label (\"-\") dropped"));
  CHECK(data.test[349].text == "premise 349");
  CHECK(data.test[350].text == "premise 351");
  CHECK(data.test[350].second == "-");
}

TEST_CASE("dataset: class folders of any name, the classes sorted") {
  const TempFolder folder;
  for (const char* name : {"b/1", "b/2", "a/1", "a/2"}) {
    folder.write(std::string("train/") + name, name);
    folder.write(std::string("test/") + name, name);
  }
  const Dataset data = load_dataset(options_for("folders", folder.path()));
  CHECK(data.class_names == std::vector<std::string>{"a", "b"});
  CHECK(data.train.size() + data.validation.size() == 4);
  folder.write("test/c/1", "unknown class");
  CHECK(failure(options_for("folders", folder.path())) ==
        folder.path("test/c/1") + ": label \"c\" does not occur in the training rows");
}

TEST_CASE("dataset: one csv file with columns by name gets validation and test splits") {
  const TempFolder folder;
  std::string text = "id,kind,body\n";
  for (int i = 0; i < 50; ++i) text += std::to_string(i) + (i % 2 ? ",x,odd\n" : ",y,even\n");
  DatasetOptions options = options_for("csv", folder.write("all.csv", text));
  options.text_columns = {"body"};
  options.label_column = "kind";
  const Dataset data = load_dataset(options);
  CHECK(data.train.size() == 40);
  CHECK(data.validation.size() == 5);
  CHECK(data.test.size() == 5);
  CHECK(data.class_names == std::vector<std::string>{"x", "y"});
  for (const Example& row : data.train) CHECK((row.text == "odd") == (row.label == 0));
  CHECK_FALSE(data.partial);
}

TEST_CASE("dataset: a sorted file of one class is an error that says so") {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\"1\",\"title\",\"text\"\n";
  folder.write("train.csv", text);
  folder.write("test.csv", three_records);
  CHECK(failure(options_for("ag_news", folder.path())) ==
        "ag_news: train: 1 class seen of 4 (World); training needs at least two");
}

TEST_CASE("dataset: a missing folder, file, row or option is named") {
  const TempFolder folder;
  const std::string here = folder.path();
  CHECK(failure(options_for("ag_news", "")) == "ag_news: needs --data-dir");
  CHECK(failure(options_for("ag_news", here + "/none")) == here + "/none: no such folder");
  CHECK(failure(options_for("trec", here)) ==
        here + ": trec expects TREC.train or train_5500.label here (plain or .gz)");
  folder.write("train.csv", "");
  CHECK(failure(options_for("ag_news", here)) == here + "/train.csv: no rows");
  folder.write("train.csv", three_records);
  CHECK(failure(options_for("ag_news", here)) ==
        here + ": ag_news expects test.csv here (plain or .gz)");
  DatasetOptions options = options_for("ag_news", here);
  options.encoding = "ebcdic";
  CHECK(failure(options) == "encoding: expected utf-8 or iso-8859-1, got \"ebcdic\"");
}

TEST_CASE("dataset: an unknown name lists the known ones") {
  const std::string message = failure(options_for("mnist", "x"));
  CHECK(message.find("dataset: unknown name \"mnist\"; known are 20ng, ag_news, ") == 0);
  CHECK_THROWS_AS(load_dataset(options_for("mnist", "x")), std::invalid_argument);
}

TEST_CASE("dataset: rows that are not UTF-8 name the option, which then reads them") {
  const TempFolder folder;
  const std::string path = folder.write("train.csv", "1,caf\xe9,x\n2,a,b\n1,a,b\n2,a,b\n");
  folder.write("test.csv", "1,a,b\n");
  DatasetOptions options = options_for("ag_news", folder.path());
  CHECK(failure(options) == path + ":1: invalid UTF-8 byte 0xe9 at column 6; pass --encoding");
  options.encoding = "iso-8859-1";
  const Dataset data = load_dataset(options);
  std::vector<Example> all = data.train;
  all.insert(all.end(), data.validation.begin(), data.validation.end());
  CHECK(
      std::any_of(all.begin(), all.end(), [](const Example& row) { return row.text == "café x"; }));
}

// The real files, where BF_DATA is the folder with all of them; counted as skipped elsewhere.
TEST_CASE("dataset: the public files have their known numbers of rows" *
          doctest::skip(std::getenv("BF_DATA") == nullptr)) {
  const char* root = std::getenv("BF_DATA");
  struct Known {
    const char* name;
    const char* folder;
    Index train, validation, test;  // validation 0: taken from train
    Index classes;
  };
  for (const Known& known :
       std::vector<Known>{{"ag_news", "ag_news", 52980, 0, 7600, 4},
                          {"dbpedia", "dbpedia", 12896, 3501, 7600, 14},
                          {"yelp_full", "yelp_review_full", 4000, 0, 1000, 5},
                          {"amazon_full", "amazon_review_full", 5000, 0, 7600, 5},
                          {"imdb", "imdb", 25000, 0, 25000, 2},
                          {"20ng", "20ng", 11314, 0, 7532, 20},
                          {"snli", "snli", 19999, 9842, 9824, 3},
                          {"snli", "snli/format_sample", 10, 10, 10, 3},
                          {"sst2", "sst2_glue", 67349, 0, 872, 2},
                          {"sst_kim", "sst_kim", 6920, 872, 1821, 2},
                          {"sst5", "sst_kim", 8544, 1101, 2210, 5},
                          {"trec", "trec", 5452, 0, 500, 6},
                          {"r8", "r8", 5485, 0, 2189, 8},
                          {"emotion", "emotion", 16000, 2000, 2000, 6}}) {
    CAPTURE(known.name);
    const Dataset data = load_dataset(
        options_for(known.name, (std::filesystem::path(root) / known.folder).string()));
    const Index taken = known.validation == 0 ? data.validation.size() : 0;
    CHECK(data.train.size() + taken == known.train);
    if (known.validation != 0) CHECK(data.validation.size() == known.validation);
    CHECK(data.test.size() == known.test);
    CHECK(data.class_names.size() == known.classes);
  }
}
