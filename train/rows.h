#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/printable.h"
#include "train/dataset.h"

namespace bf {

/// One row as it stands in a file.
struct Row {
  std::string label;
  std::string text;
  std::string second;
};

/// A row that breaks a rule, as "file:line: rule: value". The reader can go on after it.
struct BadRow : std::runtime_error {
  explicit BadRow(const std::string& message) : std::runtime_error(printable(message)) {}
};

/// Rows of one file (or folder), one after another.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// The next row; false at the end. Throws BadRow, after which it may be called again, or
  /// std::runtime_error for what cannot be passed over.
  virtual bool next(Row& row) = 0;
  /// "file:line" of the row returned last.
  virtual std::string place() const = 0;
};

/// Longest name of a class that is found in the data.
constexpr Index longest_label_bytes = 1000;

/// Throws std::runtime_error, beginning with `from`, for a name of a class that stands there twice
/// or is longer than longest_label_bytes.
void require_class_names(const std::vector<std::string>& names, const std::string& from);

/// The labels of a data set and their numbers 0 .. classes - 1.
class LabelSet {
 public:
  /// Whole numbers first .. first + names.size() - 1.
  static LabelSet numbers(int first, std::vector<std::string> names);
  /// Exactly these names.
  static LabelSet fixed(std::vector<std::string> names);
  /// Whatever occurs, until close().
  static LabelSet open();

  /// The number of a label. Throws std::runtime_error "label 5 outside 1..4" and the like.
  int number(const std::string& label);
  /// Ends an open set: sorts the names (whole numbers by value) and renumbers `examples`. A label
  /// that has not occurred is an error from then on. Does nothing for the other kinds.
  void close(std::vector<Example>& examples);

  const std::vector<std::string>& names() const { return names_; }

 private:
  enum class Kind { numbers, fixed, open, closed };
  LabelSet(Kind kind, int first, std::vector<std::string> names)
      : kind_(kind), first_(first), names_(std::move(names)) {}
  int number_of_digits(const std::string& label) const;

  Kind kind_;
  int first_ = 0;
  std::vector<std::string> names_;
};

/// What to do with rows that are not ordinary.
struct RowRules {
  bool skip_bad = false;
  std::string dropped_label;  ///< rows with this label are dropped and counted; empty = none
};

/// All rows of `reader`, cleaned. What was skipped, dropped or empty is counted in `notes`, in
/// sentences that begin with `what`.
std::vector<Example> collect_rows(RowReader& reader, const std::string& what, LabelSet& labels,
                                  const RowRules& rules, std::vector<std::string>& notes);

}  // namespace bf
