#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/shuffle.h"

namespace bf {

/// One labelled text, already through clean_text().
struct Example {
  std::string text;
  std::string second;   ///< second sentence of a pair; empty if there is none
  int label = 0;        ///< 0 .. classes - 1
  int difficulty = -1;  ///< `synthetic` only: 0 easy, 1 medium, 2 hard
  int kind = -1;        ///< `synthetic` only: which task (see SyntheticKind)
};

/// A data set in memory, ready for a tokenizer.
struct Dataset {
  std::string name;
  std::vector<std::string> class_names;
  std::vector<Example> train;
  std::vector<Example> validation;
  std::vector<Example> test;
  std::vector<std::string> notes;  ///< what was dropped, split or found odd; sentences with counts
  bool partial = false;            ///< fewer rows than the published data set has
  double published_share = 1;      ///< of the published training rows; 1 where that is not known
};

/// What to load and how. The first group is for every set; the second for the generic formats
/// `csv`, `tsv`, `jsonl` and `folders`; the third for `synthetic`.
struct DatasetOptions {
  std::string name = "debian";
  std::string data_dir;              ///< the folder of the files (`csv` and `debian`: or one file)
  Index train_rows = 0;              ///< size of a seeded sample of the training rows; 0 = all
  double validation_fraction = 0.1;  ///< of train, for a set without a validation split
  std::uint64_t seed = 0;            ///< of samples, splits and generated texts
  bool skip_bad_rows = false;        ///< count and skip a bad row instead of failing
  std::string encoding;              ///< "utf-8" or "iso-8859-1"; empty = the set's own

  std::vector<std::string> text_columns;  ///< names, or numbers from 1; joined with a space
  std::string second_column;              ///< of the second sentence; empty = none
  std::string label_column;               ///< name or number
  std::string delimiter;                  ///< one character; empty = the format's own
  bool no_header = false;                 ///< the first line holds data, not column names
  std::vector<std::string> class_names;   ///< empty = the sorted labels of the training file

  Index rows = 20000;                ///< training rows to generate
  std::string difficulty = "mixed";  ///< easy, medium, hard or mixed
};

/// The names load_dataset() knows, sorted.
std::vector<std::string> dataset_names();

/// Reads (or generates) the data set `options.name`.
///
/// A set without a validation split gets a seeded sample of its training rows as one. With
/// `train_rows` the training split is a seeded sample of exactly that many rows where there are
/// so many, whatever the order in the files. Empty texts stay (a tokenizer makes one [UNK] of
/// them) and are counted in `notes`.
///
/// Throws std::invalid_argument for an unknown name or option value; std::runtime_error, as
/// "file:line: rule: value", for a missing or corrupt file, a bad row (unless `skip_bad_rows`), an
/// empty split, or a training split with only one class.
Dataset load_dataset(const DatasetOptions& options);

}  // namespace bf
