#include "train/tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tensor/printable.h"
#include "tensor/require.h"
#include "train/word_tokenizer.h"

namespace bf {

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, std::string_view second,
                                            Index max_length) const {
  const bool pair = !second.empty();
  require(max_length >= (pair ? 3U : 1U), "encode: max_length must be at least ", pair ? 3 : 1,
          pair ? " for a pair" : "", ", got ", max_length);
  const auto at_least_one = [](std::vector<std::int32_t> ids) {
    if (ids.empty()) ids.push_back(unknown);
    return ids;
  };
  std::vector<std::int32_t> ids = at_least_one(sentence_ids(text, max_length));
  if (!pair) return ids;
  const std::vector<std::int32_t> others = at_least_one(sentence_ids(second, max_length));
  const Index room = max_length - 1;  // without the separator
  const Index half = (room + 1) / 2;
  const Index left_over = room - std::min(room, others.size());
  ids.resize(std::min(ids.size(), std::max(half, left_over)));
  const Index kept = std::min(others.size(), room - ids.size());
  ids.push_back(separator);
  ids.insert(ids.end(), others.begin(), others.begin() + static_cast<std::ptrdiff_t>(kept));
  return ids;
}

std::vector<std::string> tokenizer_names() { return {"word"}; }

std::unique_ptr<Tokenizer> build_tokenizer(const std::string& name,
                                           const std::vector<Example>& texts, Index vocabulary_size,
                                           Index min_count) {
  require(name == "word", "--tokenizer: expected one of word, got \"", name, "\"");
  return std::make_unique<WordTokenizer>(WordTokenizer::build(texts, vocabulary_size, min_count));
}

std::unique_ptr<Tokenizer> tokenizer_from_json(const nlohmann::json& json) {
  require_data(json.is_object() && json.contains("type"), "tokenizer: no \"type\" in its JSON");
  require_data(json.at("type") == "word", "tokenizer: expected type \"word\", got ",
               shortened(json.at("type").dump()));
  return std::make_unique<WordTokenizer>(WordTokenizer::from_json(json));
}

}  // namespace bf
