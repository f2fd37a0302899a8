#include "train/catalog.h"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "tests/temp_folder.h"

using namespace bf;

namespace {

CatalogEntry entry_of(const std::string& name) {
  for (CatalogEntry& entry : catalog()) {
    if (entry.name == name) return std::move(entry);
  }
  throw std::runtime_error("no " + name);
}

std::string failure(const DatasetOptions& options) {
  try {
    generic_entry(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("catalog: every entry has a name of its own and training and test files") {
  std::set<std::string> names;
  for (const CatalogEntry& entry : catalog()) {
    CHECK(names.insert(entry.name).second);
    CHECK_FALSE(entry.train.empty());
    CHECK_FALSE(entry.test.empty());
  }
}

TEST_CASE("catalog: splits are found in the folder or below it, compressed or not") {
  const TempFolder folder;
  const CatalogEntry snli = entry_of("snli");
  CHECK(find_split(snli, folder.path(), snli.train) == "");
  const std::string below = folder.write("snli_1.0/snli_1.0_train.txt", "");
  CHECK(find_split(snli, folder.path(), snli.train) == below);
  const std::string here = folder.write("snli_train.jsonl.gz", "");
  CHECK(find_split(snli, folder.path(), snli.train) == here);
  const CatalogEntry imdb = entry_of("imdb");
  folder.write("aclImdb/train/pos/1.txt", "");
  CHECK(find_split(imdb, folder.path(), imdb.train) == folder.path("aclImdb/train"));
}

TEST_CASE("catalog: generic formats need their columns, and a delimiter of one character") {
  DatasetOptions options;
  options.name = "csv";
  CHECK(failure(options) == "csv: needs --text-columns");
  options.text_columns = {"text"};
  CHECK(failure(options) == "csv: needs --label-column");
  options.label_column = "label";
  options.delimiter = "ab";
  CHECK(failure(options) == "--delimiter: expected one character, got \"ab\"");
  for (const char* mark : {"\"", "\n", "\r"}) {
    options.delimiter = mark;
    CHECK(failure(options) == "--delimiter: a quote or a line break cannot part columns");
  }
  options.delimiter = "";
  options.class_names = {"a", "b", "a"};
  CHECK_THROWS_WITH_AS(generic_entry(options), "--class-names: two classes are named \"a\"",
                       std::runtime_error);
  options.class_names = {std::string(1001, 'x')};
  CHECK_THROWS_WITH_AS(generic_entry(options),
                       ("--class-names: the class name \"" + std::string(60, 'x') +
                        "...\" is longer than 1000 bytes")
                           .c_str(),
                       std::runtime_error);
  options.class_names = {};
  options.delimiter = ";";
  CHECK(generic_entry(options).csv.delimiter == ';');
  options.name = "tsv";
  options.delimiter = "";
  CHECK(generic_entry(options).csv.delimiter == '\t');
  options.delimiter = "\"";  // no mark of its own in TSV
  CHECK(generic_entry(options).csv.delimiter == '"');
  options.delimiter = "";
  options.name = "folders";
  options.text_columns.clear();
  CHECK(failure(options) == "");
}

TEST_CASE("catalog: a training file of SNLI has 549,367 rows with a label") {
  // 785 more have none, in the release of 550,152 (nlp.stanford.edu/projects/snli).
  const CatalogEntry snli = entry_of("snli");
  CHECK(snli.published_train == 550152 - 785);
  CHECK(snli.dropped_label == "-");
}

TEST_CASE("catalog: SNLI reads its text table like its JSON lines") {
  const TempFolder folder;
  const std::string table = folder.write(
      "snli_1.0_dev.txt", "gold_label\tx\tsentence1\tsentence2\nneutral\t(\tA \"man.\tB\n");
  const std::string json = folder.write(
      "snli_1.0_dev.jsonl",
      "{\"gold_label\": \"neutral\", \"sentence1\": \"A \\\"man.\", \"sentence2\": \"B\"}\n");
  for (const std::string& path : {table, json}) {
    const auto rows = open_rows(entry_of("snli"), path);
    Row row;
    CHECK(rows->next(row));
    CHECK(row.label == "neutral");
    CHECK(row.text == "A \"man.");
    CHECK(row.second == "B");
    CHECK_FALSE(rows->next(row));
  }
}
