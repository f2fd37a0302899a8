#include "train/data_summary.h"

#include <algorithm>
#include <cstdint>

#include "tensor/require.h"
#include "train/input_file.h"

namespace bf {

SplitSummary summarise(const std::vector<Example>& rows, Index classes, const Tokenizer& tokenizer,
                       Index max_length) {
  SplitSummary summary;
  summary.rows = rows.size();
  summary.rows_per_class.assign(classes, 0);
  std::vector<Index> lengths;
  Index unknown = 0;
  for (const Example& row : rows) {
    require(row.label >= 0 && static_cast<Index>(row.label) < classes, "summarise: label ",
            row.label, " is outside ", classes, " classes");
    ++summary.rows_per_class[static_cast<Index>(row.label)];
    // No text that was read is longer than this many bytes, so none is cut.
    const auto ids = tokenizer.encode(row.text, row.second, 2 * longest_record_bytes);
    unknown += static_cast<Index>(std::count(ids.begin(), ids.end(), Tokenizer::unknown));
    lengths.push_back(ids.size());
    summary.tokens += ids.size();
    if (ids.size() > max_length) ++summary.cut_rows;
    if (row.text.empty() && row.second.empty()) ++summary.empty_rows;
  }
  if (rows.empty()) return summary;
  std::sort(lengths.begin(), lengths.end());
  const auto tokens = static_cast<double>(summary.tokens);
  summary.mean_tokens = tokens / static_cast<double>(rows.size());
  summary.median_tokens = lengths[(lengths.size() - 1) / 2];
  summary.p95_tokens = lengths[(lengths.size() * 95 + 99) / 100 - 1];
  summary.longest = lengths.back();
  summary.unknown_share = static_cast<double>(unknown) / tokens;
  return summary;
}

std::vector<std::string> shown_tokens(const Tokenizer& tokenizer, const std::string& text,
                                      const std::string& second, Index max_length) {
  std::vector<std::string> tokens;
  for (const std::int32_t id : tokenizer.encode(text, second, max_length)) {
    tokens.push_back(tokenizer.token(id));
  }
  return tokens;
}

}  // namespace bf
