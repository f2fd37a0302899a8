// Texts of any kind on their way to a tokenizer.

#include "tests/fuzz/fuzz.h"
#include "train/clean_text.h"
#include "train/encoding.h"
#include "train/words.h"

namespace bf::fuzz {

void clean(std::string_view bytes) {
  const bool latin = choice(bytes, 2) == 1 || invalid_utf8_at(bytes) != std::string_view::npos;
  const std::string text = clean_text(latin ? latin1_to_utf8(bytes) : std::string(bytes));
  expect_clean(text);
  expect(text.find("  ") == std::string::npos, "two spaces in a row");
  expect(text.empty() || (text.front() != ' ' && text.back() != ' '), "a space at an end");
  const std::string folded = fold_text(text);
  expect(invalid_utf8_at(folded) == std::string_view::npos, "folded to what is not UTF-8");
  std::size_t length = 0;
  for (const std::string_view word : split_words(folded, text.size() + 1)) {
    expect(!word.empty(), "an empty word");
    length += word.size();
  }
  expect(length <= folded.size(), "more words than text");
}

}  // namespace bf::fuzz
