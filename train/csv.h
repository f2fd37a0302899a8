#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/rows.h"
#include "train/text_file.h"

namespace bf {

/// Fields in lines. `quoted` follows RFC 4180: a field in double quotes may hold the delimiter,
/// line breaks (LF or CR LF, given as LF) and quotes written twice; a backslash means nothing.
/// Without `quoted` a quote is an ordinary character, as in the TSV files of GLUE and SNLI.
struct CsvFormat {
  char delimiter = ',';
  bool quoted = true;
};

/// Records of a CSV or TSV file, one at a time, with exact line numbers. Empty lines are passed
/// over.
class CsvReader {
 public:
  CsvReader(const std::string& path, CsvFormat format, Encoding encoding);

  /// The fields of the next record; false at the end. Throws BadRow for text after a closing quote,
  /// for invalid UTF-8 and for more than 10,000 fields; std::runtime_error, with the line where the
  /// field begins, for a quote that is never closed and where a record gets longer than 16 MiB: the
  /// rest of the file cannot be trusted then.
  bool next(std::vector<std::string>& fields);

  /// "path:line" where the record returned last begins.
  std::string place() const { return file_.path() + ":" + std::to_string(record_line_); }

 private:
  bool next_line();
  void quoted_field(std::string& field);
  void plain_field(std::string& field);

  TextFile file_;
  CsvFormat format_;
  std::string line_;
  Index at_ = 0;  // where parsing stands in line_
  Index record_line_ = 0;
  Index record_bytes_ = 0;  // of the lines up to line_, with the breaks between them
  std::string problem_;     // the first bad encoding in the record
};

/// Which fields of a record make a row. Columns are numbers from 1, or names if there is a header.
struct CsvColumns {
  std::string label;
  std::vector<std::string> text;  ///< joined with a space
  std::string second;             ///< empty = none
  bool header = false;
  Index count = 0;  ///< fields in every record and the header; 0 = as many as the first has
};

/// The rows of a CSV or TSV file. A record with another number of fields is a BadRow; a column that
/// the header does not have, or has twice, is a std::runtime_error that lists those it has.
class CsvRows : public RowReader {
 public:
  CsvRows(const std::string& path, CsvFormat format, const CsvColumns& columns, Encoding encoding);
  bool next(Row& row) override;
  std::string place() const override { return reader_.place(); }

 private:
  void find_columns(const std::vector<std::string>& header);
  Index column(const std::string& name, const std::vector<std::string>& header) const;

  CsvReader reader_;
  CsvColumns columns_;
  Index count_;  // 0 until the first record
  Index label_ = 0;
  std::vector<Index> text_;
  std::optional<Index> second_;
  std::vector<std::string> fields_;
};

}  // namespace bf
