#pragma once

#include <string>
#include <vector>

#include "train/dataset.h"
#include "train/tokenizer.h"

namespace bf {

/// What one split holds, seen through a tokenizer.
struct SplitSummary {
  Index rows = 0;
  std::vector<Index> rows_per_class;  ///< [classes]
  Index tokens = 0;                   ///< of all texts, not cut
  double mean_tokens = 0;             ///< per text
  Index median_tokens = 0;
  Index p95_tokens = 0;  ///< 95 of 100 texts have at most so many
  Index longest = 0;
  Index cut_rows = 0;        ///< texts of more than `max_length` tokens
  double unknown_share = 0;  ///< of the tokens that are [UNK]
  Index empty_rows = 0;      ///< texts without any token
};

/// Encodes every text of `rows` whole and counts. All zeros for no rows. Throws
/// std::invalid_argument if a label is outside 0 .. classes - 1.
SplitSummary summarise(const std::vector<Example>& rows, Index classes, const Tokenizer& tokenizer,
                       Index max_length);

/// The words of a text as the tokenizer sees them, [UNK] for those it does not know.
std::vector<std::string> shown_tokens(const Tokenizer& tokenizer, const std::string& text,
                                      const std::string& second, Index max_length);

}  // namespace bf
