#pragma once

#include <string>

#include "train/rows.h"
#include "train/text_file.h"

namespace bf {

/// One row per line: a label and a text, parted by one character that the text may hold too.
struct LineFormat {
  char separator = ' ';
  bool label_last = false;  ///< "text;label", parted at the last separator; else at the first
  char label_end = '\0';    ///< the label is cut here: "DESC:manner" -> "DESC"; '\0' = never
  std::string header;       ///< a first line that is passed over if it stands there
};

/// The rows of TREC, R8, the sentiment treebank of Kim, and emotion. Empty lines are passed over;
/// a line without a separator is a BadRow.
class LabelledLines : public RowReader {
 public:
  LabelledLines(const std::string& path, LineFormat format, Encoding encoding);
  bool next(Row& row) override;
  std::string place() const override { return file_.place(); }

 private:
  TextFile file_;
  LineFormat format_;
  std::string line_;
};

}  // namespace bf
