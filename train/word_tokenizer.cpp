#include "train/word_tokenizer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tensor/printable.h"
#include "tensor/require.h"
#include "train/words.h"

namespace bf {
namespace {

const std::vector<std::string> special_names = {"[PAD]", "[UNK]", "[SEP]"};
constexpr Index no_limit = std::numeric_limits<Index>::max();
constexpr Index largest_vocabulary = std::numeric_limits<std::int32_t>::max();

using Counts = std::unordered_map<std::string, Index, TextHash, std::equal_to<>>;

void count_words(std::string_view text, Counts& counts) {
  const std::string folded = fold_text(text);
  for (const std::string_view word : split_words(folded, no_limit)) {
    const auto found = counts.find(word);
    if (found != counts.end()) {
      ++found->second;
    } else {
      counts.emplace(word, 1);
    }
  }
}

}  // namespace

WordTokenizer::WordTokenizer(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
  ids_.reserve(tokens_.size());
  // No word of a text is "[UNK]": brackets are words of their own.
  for (Index id = 0; id < tokens_.size(); ++id) {
    const bool added = ids_.emplace(tokens_[id], static_cast<std::int32_t>(id)).second;
    require_data(added, "tokenizer: token \"", shortened(tokens_[id]), "\" occurs twice");
  }
}

WordTokenizer WordTokenizer::build(const std::vector<Example>& texts, Index vocabulary_size,
                                   Index min_count) {
  require(vocabulary_size > special_tokens && vocabulary_size <= largest_vocabulary,
          "tokenizer: the vocabulary needs from ", special_tokens + 1, " to ", largest_vocabulary,
          " tokens, got ", vocabulary_size);
  Counts counts;
  for (const Example& example : texts) {
    count_words(example.text, counts);
    count_words(example.second, counts);
  }
  std::vector<std::pair<std::string, Index>> words;
  for (auto& [word, count] : counts) {
    if (count >= min_count) words.emplace_back(word, count);
  }
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  words.resize(std::min(words.size(), vocabulary_size - special_tokens));
  std::vector<std::string> tokens = special_names;
  for (auto& [word, count] : words) tokens.push_back(std::move(word));
  return WordTokenizer(std::move(tokens));
}

WordTokenizer WordTokenizer::from_json(const nlohmann::json& json) {
  const auto tokens = json.find("tokens");
  require_data(tokens != json.end() && tokens->is_array(),
               "tokenizer: \"tokens\" is missing or no list");
  std::vector<std::string> names;
  for (const auto& token : *tokens) {
    require_data(token.is_string(), "tokenizer: token ", names.size(), " is not a text but ",
                 token.type_name());
    names.push_back(token.get<std::string>());
  }
  const bool special = names.size() >= special_tokens &&
                       std::equal(special_names.begin(), special_names.end(), names.begin());
  require_data(special, "tokenizer: the first tokens are not [PAD], [UNK], [SEP]");
  return WordTokenizer(std::move(names));
}

nlohmann::json WordTokenizer::to_json() const { return {{"type", "word"}, {"tokens", tokens_}}; }

std::string WordTokenizer::token(std::int32_t id) const {
  require(id >= 0 && static_cast<Index>(id) < tokens_.size(), "token: id ", id,
          " is outside the vocabulary of ", tokens_.size());
  return tokens_[static_cast<Index>(id)];
}

std::vector<std::int32_t> WordTokenizer::sentence_ids(std::string_view text, Index limit) const {
  const std::string folded = fold_text(text);
  std::vector<std::int32_t> ids;
  for (const std::string_view word : split_words(folded, limit)) {
    const auto found = ids_.find(word);
    ids.push_back(found == ids_.end() ? unknown : found->second);
  }
  return ids;
}

}  // namespace bf
