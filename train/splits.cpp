#include "train/splits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tensor/printable.h"
#include "tensor/require.h"

namespace bf {
namespace {

// Streams of the seed; `synthetic` uses higher ones.
constexpr std::uint64_t hold_out_stream = 0;
constexpr std::uint64_t split_stream = 1;

Index part_of(Index rows, double fraction) {
  return std::max<Index>(1, static_cast<Index>(std::llround(static_cast<double>(rows) * fraction)));
}

/// Moves the last `count` of `from` to a new split.
std::vector<Example> take_last(std::vector<Example>& from, Index count) {
  const auto first = from.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<Example> taken(std::make_move_iterator(first), std::make_move_iterator(from.end()));
  from.erase(first, from.end());
  return taken;
}

std::vector<Example> in_order(std::vector<Example>& rows, const std::vector<Index>& order) {
  std::vector<Example> ordered;
  ordered.reserve(rows.size());
  for (const Index i : order) ordered.push_back(std::move(rows[i]));
  return ordered;
}

void take_split(Dataset& data, std::vector<Example>& split, const char* name, Index base,
                double fraction) {
  if (!split.empty()) return;
  const Index count = part_of(base, fraction);
  require_data(count < data.train.size(), data.name, ": ", data.train.size(),
               " training rows are too few to take a ", name, " split from them");
  split = take_last(data.train, count);
  data.notes.push_back(join_parts(name, ": the set has none, so ", count,
                                  " rows were taken from the training rows at random"));
}

}  // namespace

std::string classes_missing(const std::string& split, const std::vector<Example>& rows,
                            const std::vector<std::string>& class_names) {
  std::vector<bool> seen(class_names.size(), false);
  for (const Example& row : rows) seen[static_cast<Index>(row.label)] = true;
  const auto count = static_cast<Index>(std::count(seen.begin(), seen.end(), true));
  if (count == class_names.size() && count > 1) return "";
  std::string text = join_parts(split, ": ", count, count == 1 ? " class" : " classes", " seen of ",
                                class_names.size());
  if (count == 1) {
    const auto only = std::find(seen.begin(), seen.end(), true) - seen.begin();
    text += " (" + shortened(class_names[static_cast<Index>(only)]) + ")";
  }
  return text;
}

void hold_out(Dataset& data, double fraction, std::uint64_t seed) {
  const Index count = part_of(data.train.size(), fraction);
  require_data(2 * count < data.train.size(), data.name, ": ", data.train.size(),
               " rows are too few to hold some out");
  data.train = in_order(data.train, seeded_permutation(data.train.size(), seed, hold_out_stream));
  data.test = take_last(data.train, count);
  data.validation = take_last(data.train, count);
}

void complete_splits(Dataset& data, const DatasetOptions& options) {
  require_data(!data.train.empty(), data.name, ": no training rows");
  require(options.validation_fraction > 0 && options.validation_fraction < 1,
          "validation fraction: expected a number between 0 and 1, got ",
          options.validation_fraction);
  const Index all = data.train.size();
  const Index base = options.train_rows == 0 ? all : std::min(options.train_rows, all);
  data.train = in_order(data.train, seeded_permutation(all, options.seed, split_stream));
  take_split(data, data.test, "test", base, options.validation_fraction);
  take_split(data, data.validation, "validation", base, options.validation_fraction);
  if (options.train_rows > 0) {
    if (options.train_rows < data.train.size()) data.train.resize(options.train_rows);
    data.notes.push_back(join_parts("train: ", data.train.size(), " of ", all,
                                    " rows, a sample with seed ", options.seed));
  }
  const std::string missing = classes_missing("train", data.train, data.class_names);
  require_data(missing.find(": 1 class seen") == std::string::npos, data.name, ": ", missing,
               "; training needs at least two");
  const auto note = [&data](const std::string& text) {
    if (!text.empty()) data.notes.push_back(text);
  };
  note(missing);
  note(classes_missing("validation", data.validation, data.class_names));
  note(classes_missing("test", data.test, data.class_names));
}

}  // namespace bf
