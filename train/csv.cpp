#include "train/csv.h"

#include <algorithm>
#include <charconv>

#include "tensor/require.h"

namespace bf {
namespace {

/// A field takes 32 bytes, also an empty one.
constexpr Index most_fields = 10'000;

}  // namespace

CsvReader::CsvReader(const std::string& path, CsvFormat format, Encoding encoding)
    : file_(path, encoding), format_(format) {}

bool CsvReader::next_line() {
  if (!file_.line(line_)) return false;
  at_ = 0;
  record_bytes_ += line_.size() + (record_bytes_ > 0 ? 1 : 0);
  if (problem_.empty()) problem_ = file_.problem();
  return true;
}

bool CsvReader::next(std::vector<std::string>& fields) {
  fields.clear();
  problem_.clear();
  do {
    record_bytes_ = 0;
    if (!next_line()) return false;
  } while (line_.empty());
  record_line_ = file_.line_number();
  for (;;) {
    if (fields.size() == most_fields) {
      throw BadRow(join_parts(place(), ": more than ", most_fields, " fields"));
    }
    fields.emplace_back();
    if (format_.quoted && at_ < line_.size() && line_[at_] == '"') {
      quoted_field(fields.back());
    } else {
      plain_field(fields.back());
    }
    if (at_ >= line_.size()) break;
    ++at_;  // the delimiter
  }
  // Reported only now, so that the record is over and the next call begins with the next one.
  if (!problem_.empty()) throw BadRow(problem_);
  return true;
}

void CsvReader::plain_field(std::string& field) {
  const Index end = std::min(line_.find(format_.delimiter, at_), line_.size());
  field.assign(line_, at_, end - at_);
  at_ = end;
}

void CsvReader::quoted_field(std::string& field) {
  const Index field_line = file_.line_number();
  ++at_;
  for (;;) {
    const Index quote = line_.find('"', at_);
    if (quote == std::string::npos) {
      field.append(line_, at_).push_back('\n');
      require_data(next_line(), file_.path(), ":", field_line,
                   ": the quote that begins a field here is never closed");
      require_data(record_bytes_ <= longest_record_bytes, file_.path(), ":", field_line,
                   ": with the field that begins here the record of line ", record_line_,
                   " has more than ", longest_record_bytes, " bytes; is a quote missing?");
      continue;
    }
    field.append(line_, at_, quote - at_);
    at_ = quote + 1;
    if (at_ >= line_.size() || line_[at_] == format_.delimiter) return;
    if (line_[at_] != '"') {
      throw BadRow(join_parts(file_.place(), ": text after a closing quote at column ", at_ + 1,
                              ": \"", shortened(std::string_view(line_).substr(at_), 20), "\""));
    }
    field.push_back('"');
    ++at_;
  }
}

CsvRows::CsvRows(const std::string& path, CsvFormat format, const CsvColumns& columns,
                 Encoding encoding)
    : reader_(path, format, encoding), columns_(columns), count_(columns.count) {
  if (!columns_.header) return;
  require_data(reader_.next(fields_), path, ": the file is empty");
  find_columns(fields_);
}

void CsvRows::find_columns(const std::vector<std::string>& header) {
  if (count_ == 0) count_ = fields_.size();
  require_data(header.empty() || header.size() == count_, reader_.place(), ": expected ", count_,
               " columns, got ", header.size());
  label_ = column(columns_.label, header);
  for (const std::string& name : columns_.text) text_.push_back(column(name, header));
  if (!columns_.second.empty()) second_ = column(columns_.second, header);
}

Index CsvRows::column(const std::string& name, const std::vector<std::string>& header) const {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found != header.end()) {
    require_data(std::find(found + 1, header.end(), name) == header.end(), reader_.place(),
                 ": two columns are named \"", name, '"');
    return static_cast<Index>(found - header.begin());
  }
  Index number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc{} && end == name.data() + name.size() && number >= 1 && number <= count_) {
    return number - 1;
  }
  constexpr Index most_shown = 30;
  std::string known;
  for (Index i = 0; i < std::min(header.size(), most_shown); ++i) {
    known += (i > 0 ? ", " : "") + shortened(header[i]);
  }
  if (header.size() > most_shown) known += ", ...";
  if (header.empty()) known = "1.." + std::to_string(count_);
  require_data(false, reader_.place(), ": no column \"", name, "\"; the columns are ", known);
  return 0;
}

bool CsvRows::next(Row& row) {
  if (!reader_.next(fields_)) return false;
  if (text_.empty()) find_columns({});
  if (fields_.size() != count_) {
    throw BadRow(join_parts(place(), ": expected ", count_, " columns, got ", fields_.size()));
  }
  row.label = fields_[label_];
  row.text.clear();
  for (const Index i : text_) {
    if (!row.text.empty()) row.text += ' ';
    row.text += fields_[i];
  }
  row.second = second_ ? fields_[*second_] : std::string();
  return true;
}

}  // namespace bf
