#pragma once

#include <memory>
#include <string>
#include <vector>

#include "train/csv.h"
#include "train/labelled_lines.h"
#include "train/rows.h"

namespace bf {

/// How the files of a data set are laid out, and where its splits are found.
struct CatalogEntry {
  enum class Kind { csv, lines, jsonl, folders };

  std::string name;
  Kind kind = Kind::csv;
  CsvFormat csv = {};
  CsvColumns columns = {};  ///< for jsonl: its keys
  LineFormat lines = {};
  Encoding encoding = Encoding::utf8;
  LabelSet labels = LabelSet::open();
  std::string dropped_label = {};
  std::vector<std::string> class_folders = {};  ///< the only ones to read; empty = all

  /// File names to try, each also with .gz; for `folders`, folders and archives. An empty list
  /// means that the set has no such split.
  std::vector<std::string> train = {};
  std::vector<std::string> validation = {};
  std::vector<std::string> test = {};
  std::vector<std::string> subfolders = {};  ///< below the data folder, tried after it
  Index published_train = 0;                 ///< rows of the published training file; 0 = unknown
  Index published_test = 0;
  std::string note = {};
};

/// The data sets with a fixed layout.
std::vector<CatalogEntry> catalog();

/// The entry for `csv`, `tsv`, `jsonl` or `folders` from the columns and names in `options`.
/// Throws std::invalid_argument if --text-columns or --label-column is missing, or --delimiter is
/// not one character.
CatalogEntry generic_entry(const DatasetOptions& options);

/// A reader for one split's file (or folder). SNLI comes as .jsonl and as tab-separated .txt: a
/// jsonl entry reads a file named .txt by its header.
std::unique_ptr<RowReader> open_rows(const CatalogEntry& entry, const std::string& path);

/// Where a split stands: the first of `names` that exists in `folder` or one of the subfolders;
/// "" if there is none.
std::string find_split(const CatalogEntry& entry, const std::string& folder,
                       const std::vector<std::string>& names);

}  // namespace bf
