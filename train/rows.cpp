#include "train/rows.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>

#include "tensor/require.h"
#include "train/clean_text.h"

namespace bf {
namespace {

constexpr Index most_labels = 1000;

std::optional<long> whole_number(const std::string& text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Long lists of names are cut: the message stays one readable line.
std::string listed(const std::vector<std::string>& names) {
  constexpr Index most = 20;
  std::string text;
  for (Index i = 0; i < names.size() && i < most; ++i)
    text += (i > 0 ? ", " : "") + shortened(names[i]);
  return names.size() > most ? text + ", ..." : text;
}

std::string count_of(Index count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

LabelSet LabelSet::numbers(int first, std::vector<std::string> names) {
  return {Kind::numbers, first, std::move(names)};
}

void require_class_names(const std::vector<std::string>& names, const std::string& from) {
  std::set<std::string> known;
  for (const std::string& name : names) {
    require_data(name.size() <= longest_label_bytes, from, ": the class name \"", shortened(name),
                 "\" is longer than ", longest_label_bytes, " bytes");
    require_data(known.insert(name).second, from, ": two classes are named \"", shortened(name),
                 '"');
  }
}

LabelSet LabelSet::fixed(std::vector<std::string> names) {
  return {Kind::fixed, 0, std::move(names)};
}

LabelSet LabelSet::open() { return {Kind::open, 0, {}}; }

int LabelSet::number_of_digits(const std::string& label) const {
  const long last = first_ + static_cast<long>(names_.size()) - 1;
  const auto value = whole_number(label);
  require_data(value.has_value(), "label \"", shortened(label), "\" is not a whole number of ",
               first_, "..", last);
  require_data(*value >= first_ && *value <= last, "label ", *value, " outside ", first_, "..",
               last);
  return static_cast<int>(*value - first_);
}

int LabelSet::number(const std::string& label) {
  if (kind_ == Kind::numbers) return number_of_digits(label);
  const auto found = std::find(names_.begin(), names_.end(), label);
  if (found != names_.end()) return static_cast<int>(found - names_.begin());
  require_data(kind_ != Kind::fixed, "label \"", shortened(label), "\" is none of ",
               listed(names_));
  require_data(kind_ != Kind::closed, "label \"", shortened(label),
               "\" does not occur in the training rows");
  require_data(!label.empty(), "the label is empty");
  require_data(label.size() <= longest_label_bytes, "label \"", shortened(label),
               "\" is longer than ", longest_label_bytes,
               " bytes: is the label column the right one?");
  require_data(names_.size() < most_labels, "more than ", most_labels,
               " different labels: is the label column the right one?");
  names_.push_back(label);
  return static_cast<int>(names_.size()) - 1;
}

void LabelSet::close(std::vector<Example>& examples) {
  if (kind_ != Kind::open) return;
  kind_ = Kind::closed;
  const bool digits = std::all_of(names_.begin(), names_.end(), [](const std::string& name) {
    return whole_number(name).has_value();
  });
  std::vector<Index> order(names_.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (digits) return *whole_number(names_[a]) < *whole_number(names_[b]);
    return names_[a] < names_[b];
  });
  std::vector<int> renumbered(names_.size());
  std::vector<std::string> sorted(names_.size());
  for (Index i = 0; i < order.size(); ++i) {
    renumbered[order[i]] = static_cast<int>(i);
    sorted[i] = names_[order[i]];
  }
  names_ = std::move(sorted);
  for (Example& example : examples) {
    example.label = renumbered[static_cast<Index>(example.label)];
  }
}

std::vector<Example> collect_rows(RowReader& reader, const std::string& what, LabelSet& labels,
                                  const RowRules& rules, std::vector<std::string>& notes) {
  std::vector<Example> examples;
  Index bad = 0, dropped = 0, empty = 0;
  std::string first_bad;
  const auto bad_row = [&](const std::string& message) {
    if (!rules.skip_bad) throw BadRow(message);
    if (bad++ == 0) first_bad = message;
  };
  Row row;
  for (;;) {
    try {
      if (!reader.next(row)) break;
    } catch (const BadRow& error) {
      bad_row(error.what());
      continue;
    }
    if (!rules.dropped_label.empty() && row.label == rules.dropped_label) {
      ++dropped;
      continue;
    }
    Example example;
    try {
      example.label = labels.number(row.label);
    } catch (const std::runtime_error& error) {
      bad_row(reader.place() + ": " + error.what());
      continue;
    }
    example.text = clean_text(row.text);
    example.second = clean_text(row.second);
    if (example.text.empty() && example.second.empty()) ++empty;
    examples.push_back(std::move(example));
  }
  if (bad > 0) {
    notes.push_back(what + ": " + count_of(bad, "bad row", "bad rows") +
                    " skipped, the first: " + first_bad);
  }
  if (dropped > 0) {
    notes.push_back(what + ": " + count_of(dropped, "row", "rows") + " without a label (\"" +
                    rules.dropped_label + "\") dropped");
  }
  if (empty > 0) {
    notes.push_back(what + ": " + count_of(empty, "empty text", "empty texts") +
                    " kept; a tokenizer makes one [UNK] of each");
  }
  return examples;
}

}  // namespace bf
