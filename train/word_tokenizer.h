#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "train/tokenizer.h"

namespace bf {

/// Lets a map of std::string be searched by std::string_view without a copy.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

/// Words and punctuation marks (see split_words()) with a vocabulary of the most frequent ones.
/// Ids after the special tokens fall with frequency; equally frequent words stand in byte order.
class WordTokenizer : public Tokenizer {
 public:
  static WordTokenizer build(const std::vector<Example>& texts, Index vocabulary_size,
                             Index min_count);
  /// {"type": "word", "tokens": ["[PAD]", "[UNK]", "[SEP]", ...]}, in the order of the ids.
  static WordTokenizer from_json(const nlohmann::json& json);

  Index vocabulary_size() const override { return tokens_.size(); }
  std::string token(std::int32_t id) const override;
  nlohmann::json to_json() const override;

 protected:
  std::vector<std::int32_t> sentence_ids(std::string_view text, Index limit) const override;

 private:
  explicit WordTokenizer(std::vector<std::string> tokens);

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> ids_;
};

}  // namespace bf
