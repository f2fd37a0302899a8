#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "train/dataset.h"

namespace bf {

/// Text to token ids, for texts that went through clean_text(). All tokenizers share the first
/// three ids and the rules for pairs and lengths below.
class Tokenizer {
 public:
  static constexpr std::int32_t pad = 0;        ///< [PAD], reserved: encode() never produces it
  static constexpr std::int32_t unknown = 1;    ///< [UNK]
  static constexpr std::int32_t separator = 2;  ///< [SEP], between the sentences of a pair
  static constexpr Index special_tokens = 3;

  virtual ~Tokenizer() = default;

  /// Ids of `text`, or of `text` [SEP] `second` if `second` is not empty: 1 to `max_length` of
  /// them. A sentence without any token is one [UNK]. What is too long loses its end; of a pair
  /// the longer sentence is cut first, so that each keeps at least half of the room if it needs it,
  /// and the separator always stays. Throws std::invalid_argument for max_length 0, or below 3 for
  /// a pair. Safe to call from several threads.
  std::vector<std::int32_t> encode(std::string_view text, std::string_view second,
                                   Index max_length) const;

  virtual Index vocabulary_size() const = 0;
  /// The text of an id. Throws std::invalid_argument outside the vocabulary.
  virtual std::string token(std::int32_t id) const = 0;
  /// All that tokenizer_from_json() needs to make this tokenizer again.
  virtual nlohmann::json to_json() const = 0;

 protected:
  /// The first `limit` ids of one sentence; may be empty.
  virtual std::vector<std::int32_t> sentence_ids(std::string_view text, Index limit) const = 0;
};

/// The values of --tokenizer.
std::vector<std::string> tokenizer_names();

/// Makes the tokenizer `name` from the training texts: at most `vocabulary_size` ids with the
/// special ones; tokens seen fewer than `min_count` times are left out. The same texts in any order
/// give the same tokenizer. Throws std::invalid_argument for an unknown name or a size below 4.
std::unique_ptr<Tokenizer> build_tokenizer(const std::string& name,
                                           const std::vector<Example>& texts, Index vocabulary_size,
                                           Index min_count = 1);

/// From Tokenizer::to_json(). Throws std::runtime_error if that is not what it is.
std::unique_ptr<Tokenizer> tokenizer_from_json(const nlohmann::json& json);

}  // namespace bf
