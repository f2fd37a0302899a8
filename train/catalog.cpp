#include "train/catalog.h"

#include <filesystem>

#include "tensor/require.h"
#include "train/class_folders.h"
#include "train/jsonl.h"

namespace bf {
namespace {

namespace fs = std::filesystem;
using Kind = CatalogEntry::Kind;
using Names = std::vector<std::string>;

const Names stars = {"1 star", "2 stars", "3 stars", "4 stars", "5 stars"};

/// Zhang et al. 2015: CSV without header, class from 1 first, then the texts.
CatalogEntry zhang(const std::string& name, const Names& classes, Index texts) {
  CatalogEntry entry{.name = name};
  entry.columns.label = "1";
  for (Index i = 0; i < texts; ++i) entry.columns.text.push_back(std::to_string(i + 2));
  entry.columns.count = texts + 1;
  entry.labels = LabelSet::numbers(1, classes);
  entry.train = {"train.csv"};
  entry.validation = {"dev.csv"};
  entry.test = {"test.csv"};
  return entry;
}

CatalogEntry ag_news() {
  CatalogEntry entry = zhang("ag_news", {"World", "Sports", "Business", "Sci/Tech"}, 2);
  entry.subfolders = {"ag_news_csv"};
  entry.published_train = 120000;
  entry.published_test = 7600;
  return entry;
}

CatalogEntry dbpedia() {
  CatalogEntry entry = zhang("dbpedia",
                             {"Company", "EducationalInstitution", "Artist", "Athlete",
                              "OfficeHolder", "MeanOfTransportation", "Building", "NaturalPlace",
                              "Village", "Animal", "Plant", "Album", "Film", "WrittenWork"},
                             2);
  entry.subfolders = {"dbpedia_csv"};
  entry.published_train = 560000;
  entry.published_test = 70000;
  return entry;
}

CatalogEntry yelp_full() {
  CatalogEntry entry = zhang("yelp_full", stars, 1);
  entry.subfolders = {"yelp_review_full_csv", "yelp_review_full"};
  entry.published_train = 650000;
  entry.published_test = 50000;
  return entry;
}

CatalogEntry amazon_full() {
  CatalogEntry entry = zhang("amazon_full", stars, 2);
  entry.subfolders = {"amazon_review_full_csv", "amazon_review_full"};
  entry.published_train = 3000000;
  entry.published_test = 650000;
  return entry;
}

CatalogEntry imdb() {
  return {.name = "imdb",
          .kind = Kind::folders,
          .labels = LabelSet::fixed({"neg", "pos"}),
          .class_folders = {"neg", "pos"},
          .train = {"train", "aclImdb_train.tar"},
          .test = {"test", "aclImdb_test.tar"},
          .subfolders = {"aclImdb"},
          .published_train = 25000,
          .published_test = 25000};
}

CatalogEntry twenty_newsgroups() {
  return {.name = "20ng",
          .kind = Kind::folders,
          .encoding = Encoding::latin1,
          .train = {"20news-bydate-train", "20news-bydate-train.tar"},
          .test = {"20news-bydate-test", "20news-bydate-test.tar"},
          .published_train = 11314,
          .published_test = 7532,
          .note = "posts are read with their headers, which make the task easier"};
}

CatalogEntry snli() {
  return {.name = "snli",
          .kind = Kind::jsonl,
          .columns = {"gold_label", {"sentence1"}, "sentence2", true},
          .labels = LabelSet::fixed({"entailment", "neutral", "contradiction"}),
          .dropped_label = "-",
          .train = {"snli_1.0_train.jsonl", "snli_1.0_train.txt", "snli_train.jsonl"},
          .validation = {"snli_1.0_dev.jsonl", "snli_1.0_dev.txt", "snli_dev.jsonl"},
          .test = {"snli_1.0_test.jsonl", "snli_1.0_test.txt", "snli_test.jsonl"},
          .subfolders = {"snli_1.0"},
          .published_train = 549367,
          .published_test = 9824};
}

CatalogEntry sst2() {
  return {.name = "sst2",
          .csv = {'\t', false},
          .columns = {"label", {"sentence"}, "", true},
          .labels = LabelSet::numbers(0, {"negative", "positive"}),
          .train = {"train.tsv"},
          .test = {"dev.tsv"},
          .subfolders = {"SST-2"},
          .published_train = 67349,
          .published_test = 872,
          .note = "dev.tsv is the test split, since test.tsv has no labels"};
}

CatalogEntry kim(const std::string& name, const std::string& files, const Names& classes) {
  return {.name = name,
          .kind = Kind::lines,
          .labels = LabelSet::numbers(0, classes),
          .train = {files + ".train"},
          .validation = {files + ".dev"},
          .test = {files + ".test"}};
}

CatalogEntry trec() {
  return {.name = "trec",
          .kind = Kind::lines,
          .lines = {' ', false, ':', ""},
          .encoding = Encoding::latin1,
          .labels = LabelSet::fixed({"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"}),
          .train = {"TREC.train", "train_5500.label"},
          .test = {"TREC.test", "TREC_10.label"},
          .published_train = 5452,
          .published_test = 500};
}

CatalogEntry r8() {
  return {.name = "r8",
          .kind = Kind::lines,
          .lines = {'\t', false, '\0', ""},
          .labels = LabelSet::fixed(
              {"acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade"}),
          .train = {"r8-train-all-terms.txt"},
          .test = {"r8-test-all-terms.txt"},
          .published_train = 5485,
          .published_test = 2189};
}

CatalogEntry emotion() {
  return {.name = "emotion",
          .kind = Kind::lines,
          .lines = {';', true, '\0', "text;label_name"},
          .labels = LabelSet::fixed({"sadness", "joy", "love", "anger", "fear", "surprise"}),
          .train = {"train.txt"},
          .validation = {"val.txt"},
          .test = {"test.txt"},
          .published_train = 16000,
          .published_test = 2000};
}

bool is_class_tree(const CatalogEntry& entry, const fs::path& path) {
  std::error_code ignored;
  return entry.kind == Kind::folders && fs::is_directory(path, ignored);
}

bool is_text_table(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.find(".txt") != std::string::npos;
}

}  // namespace

std::vector<CatalogEntry> catalog() {
  return {ag_news(),
          dbpedia(),
          yelp_full(),
          amazon_full(),
          imdb(),
          twenty_newsgroups(),
          snli(),
          sst2(),
          kim("sst_kim", "stsa.binary", {"negative", "positive"}),
          kim("sst5", "stsa.fine",
              {"very negative", "negative", "neutral", "positive", "very positive"}),
          trec(),
          r8(),
          emotion()};
}

CatalogEntry generic_entry(const DatasetOptions& options) {
  CatalogEntry entry{.name = options.name};
  const bool folders = options.name == "folders";
  const bool jsonl = options.name == "jsonl";
  if (folders) entry.kind = Kind::folders;
  if (jsonl) entry.kind = Kind::jsonl;
  if (options.name == "tsv") entry.csv = {'\t', false};
  if (!folders) {
    require(!options.text_columns.empty(), options.name, ": needs --text-columns");
    require(!options.label_column.empty(), options.name, ": needs --label-column");
  }
  if (!options.delimiter.empty()) {
    require(options.delimiter.size() == 1, "--delimiter: expected one character, got \"",
            options.delimiter, "\"");
    const char delimiter = options.delimiter[0];
    require((delimiter != '"' || !entry.csv.quoted) && delimiter != '\n' && delimiter != '\r',
            "--delimiter: a quote or a line break cannot part columns");
    entry.csv.delimiter = delimiter;
  }
  entry.columns = {options.label_column, options.text_columns, options.second_column,
                   !options.no_header};
  require_class_names(options.class_names, "--class-names");
  if (!options.class_names.empty()) entry.labels = LabelSet::fixed(options.class_names);
  entry.class_folders = options.class_names;
  const std::string ending = folders ? "" : "." + options.name;
  entry.train = {"train" + ending};
  for (const char* split : {"validation", "valid", "val", "dev"}) {
    entry.validation.push_back(split + ending);
  }
  entry.test = {"test" + ending};
  return entry;
}

std::unique_ptr<RowReader> open_rows(const CatalogEntry& entry, const std::string& path) {
  switch (entry.kind) {
    case Kind::lines:
      return std::make_unique<LabelledLines>(path, entry.lines, entry.encoding);
    case Kind::folders:
      return std::make_unique<ClassFolders>(path, entry.class_folders, entry.encoding);
    case Kind::jsonl:
      if (!is_text_table(path)) {
        return std::make_unique<JsonlRows>(
            path, JsonlKeys{entry.columns.label, entry.columns.text, entry.columns.second},
            entry.encoding);
      }
      return std::make_unique<CsvRows>(path, CsvFormat{'\t', false}, entry.columns, entry.encoding);
    case Kind::csv:
      break;
  }
  return std::make_unique<CsvRows>(path, entry.csv, entry.columns, entry.encoding);
}

std::string find_split(const CatalogEntry& entry, const std::string& folder,
                       const std::vector<std::string>& names) {
  std::vector<std::string> folders{folder};
  for (const std::string& below : entry.subfolders) {
    folders.push_back((fs::path(folder) / below).string());
  }
  for (const std::string& place : folders) {
    for (const std::string& name : names) {
      if (is_class_tree(entry, fs::path(place) / name)) return (fs::path(place) / name).string();
    }
    std::string found = find_file(place, names);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace bf
