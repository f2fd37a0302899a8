#pragma once

#include <string>
#include <vector>

#include "train/rows.h"
#include "train/text_file.h"

namespace bf {

/// The keys of a row in a JSON object.
struct JsonlKeys {
  std::string label;
  std::vector<std::string> text;  ///< joined with a space
  std::string second;             ///< empty = none
};

/// One JSON object per line. Texts must be strings, the label a string or a whole number; other
/// keys are ignored. What is no object, or lacks a key, is a BadRow. Empty lines are passed over.
class JsonlRows : public RowReader {
 public:
  JsonlRows(const std::string& path, JsonlKeys keys, Encoding encoding);
  bool next(Row& row) override;
  std::string place() const override { return file_.place(); }

 private:
  TextFile file_;
  JsonlKeys keys_;
  std::string line_;
};

}  // namespace bf
