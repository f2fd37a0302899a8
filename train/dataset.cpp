#include "train/dataset.h"

#include <algorithm>
#include <filesystem>

#include "tensor/require.h"
#include "train/catalog.h"
#include "train/debian.h"
#include "train/splits.h"
#include "train/synthetic.h"

namespace bf {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> generic_names = {"csv", "tsv", "jsonl", "folders"};

std::string listed(const std::vector<std::string>& names, const std::string& separator) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : separator) + name;
  return text;
}

CatalogEntry entry_of(const DatasetOptions& options) {
  if (std::find(generic_names.begin(), generic_names.end(), options.name) != generic_names.end()) {
    return generic_entry(options);
  }
  for (CatalogEntry& entry : catalog()) {
    if (entry.name == options.name) return std::move(entry);
  }
  require(false, "dataset: unknown name \"", options.name, "\"; known are ",
          listed(dataset_names(), ", "));
  return {};
}

class Loader {
 public:
  Loader(const DatasetOptions& options, CatalogEntry entry)
      : options_(options), entry_(std::move(entry)) {
    if (!options.encoding.empty()) entry_.encoding = parse_encoding(options.encoding);
    data_.name = options.name;
  }

  Dataset run() {
    require(!options_.data_dir.empty(), options_.name, ": needs --data-dir");
    std::error_code ignored;
    const bool folder = fs::is_directory(options_.data_dir, ignored);
    require_data(folder || fs::exists(options_.data_dir, ignored), options_.data_dir,
                 ": no such folder");
    if (!entry_.note.empty()) data_.notes.push_back(entry_.note);
    const bool generic = entry_.published_train == 0;
    std::string train = folder ? find_split(entry_, options_.data_dir, entry_.train) : "";
    if (!folder || (train.empty() && entry_.name == "folders")) train = options_.data_dir;
    require_data(!train.empty(), options_.data_dir, ": ", entry_.name, " expects ",
                 listed(entry_.train, " or "), " here (plain or .gz)");
    data_.train = read("train", train);
    entry_.labels.close(data_.train);
    data_.class_names = entry_.labels.names();
    data_.validation = read_if_there("validation", entry_.validation, train);
    data_.test = read_if_there("test", entry_.test, train);
    require_data(generic || !data_.test.empty(), options_.data_dir, ": ", entry_.name, " expects ",
                 listed(entry_.test, " or "), " here (plain or .gz)");
    compare_with_published("train", data_.train.size(), entry_.published_train);
    if (!generic) {
      data_.published_share = std::min(1.0, static_cast<double>(data_.train.size()) /
                                                static_cast<double>(entry_.published_train));
    }
    compare_with_published("test", data_.test.size(), entry_.published_test);
    complete_splits(data_, options_);
    return std::move(data_);
  }

 private:
  std::vector<Example> read(const std::string& split, const std::string& path) {
    const auto reader = open_rows(entry_, path);
    const RowRules rules{options_.skip_bad_rows, entry_.dropped_label};
    auto rows = collect_rows(*reader, split, entry_.labels, rules, data_.notes);
    require_data(!rows.empty(), path, ": no rows");
    return rows;
  }

  std::vector<Example> read_if_there(const std::string& split,
                                     const std::vector<std::string>& names,
                                     const std::string& train) {
    // A single file, or class folders without splits, hold no other split.
    if (train == options_.data_dir) return {};
    const std::string path = find_split(entry_, options_.data_dir, names);
    return path.empty() ? std::vector<Example>() : read(split, path);
  }

  void compare_with_published(const std::string& split, Index rows, Index published) {
    if (rows >= published) return;
    data_.partial = true;
    data_.notes.push_back(join_parts(split, ": ", rows, " of the ", published,
                                     " rows of the published set; do not compare results with "
                                     "those for the full set"));
  }

  const DatasetOptions& options_;
  CatalogEntry entry_;
  Dataset data_;
};

}  // namespace

std::vector<std::string> dataset_names() {
  std::vector<std::string> names = generic_names;
  names.insert(names.end(), {"debian", "synthetic"});
  for (const CatalogEntry& entry : catalog()) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

Dataset load_dataset(const DatasetOptions& options) {
  if (options.name == "synthetic") return synthetic_dataset(options);
  if (options.name == "debian") return debian_dataset(options);
  return Loader(options, entry_of(options)).run();
}

}  // namespace bf
