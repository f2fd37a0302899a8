// A vocabulary in JSON on the first line, a text to cut with it on the rest.

#include "train/tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "nn/json_text.h"
#include "tests/fuzz/fuzz.h"
#include "train/clean_text.h"
#include "train/encoding.h"
#include "train/words.h"

namespace bf::fuzz {

void tokenizer(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const nlohmann::json json = parse_json(bytes.substr(0, end));
  const std::string text = latin1_to_utf8(bytes.substr(std::min(end + 1, bytes.size())));
  for (const std::string_view word : split_words(fold_text(text), 1000)) {
    expect(!word.empty(), "an empty word");
  }
  refused_well("tokenizer: ", [&] {
    const auto made = tokenizer_from_json(json);
    expect(made->to_json() == json || json.size() > 2, "another vocabulary comes back");
    const auto ids = made->encode(clean_text(text), "a pair", 40);
    expect(!ids.empty() && ids.size() <= 40, ids.size(), " tokens");
    for (const auto id : ids) made->token(id);
  });
}

}  // namespace bf::fuzz
