#include "train/words.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using bf::fold_text;
using bf::split_words;

namespace {

using Words = std::vector<std::string>;

Words words(const std::string& text, std::size_t limit = 1000) {
  const std::string folded = fold_text(text);
  Words found;
  for (const std::string_view word : split_words(folded, limit)) found.emplace_back(word);
  return found;
}

}  // namespace

TEST_CASE("words: case folds in every script, and composed forms are one") {
  CHECK(fold_text("Great NEWS 42!") == "great news 42!");
  CHECK(fold_text("STRASSE Straße ÉCOLE ΣΊΣΥΦΟΣ") == "strasse strasse école σίσυφοσ");
  CHECK(fold_text("e\xcc\x81") == "é");
  CHECK(fold_text("Don’t") == "don't");
}

TEST_CASE("words: white space and punctuation part words, every mark is one") {
  CHECK(words("Great. Bad") == Words{"great", ".", "bad"});
  CHECK(words("a-b (c) 3.5% x_y...") ==
        Words{"a", "-", "b", "(", "c", ")", "3", ".", "5", "%", "x", "_", "y", ".", ".", "."});
  CHECK(words("mp3 covid19") == Words{"mp3", "covid19"});
}

TEST_CASE("words: English endings stay with their apostrophe, other apostrophes are marks") {
  CHECK(words("Turkey's") == Words{"turkey", "'s"});
  CHECK(words("Turkey 's") == Words{"turkey", "'s"});
  CHECK(words("don’t we'll I've they're I'm he'd") ==
        Words{"don", "'t", "we", "'ll", "i", "'ve", "they", "'re", "i", "'m", "he", "'d"});
  CHECK(words("'start' o'clock dogs' '") ==
        Words{"'", "start", "'", "o", "'", "clock", "dogs", "'", "'"});
}

TEST_CASE("words: letters beyond ASCII, ideographs, symbols and marks") {
  CHECK(words("naïve café") == Words{"naïve", "café"});
  CHECK(words("日本 に") == Words{"日", "本", "に"});
  CHECK(words("€5—no “yes”😀") == Words{"€", "5", "—", "no", "“", "yes", "”", "😀"});
  CHECK(words("हिन्दी") == Words{"हिन्दी"});
}

TEST_CASE("words: invisible characters vanish, invalid bytes become one mark each or fewer") {
  CHECK(words("a\xe2\x80\x8b"
              "b\xc2\xa0"
              "c") == Words{"a", "b", "c"});
  for (const char* text : {"", "   ", "\t\n", "\x01\x02\x7f", "\xef\xbb\xbf"}) {
    CHECK(words(text).empty());
  }
  CHECK(words("caf\xe9 x") == Words{"caf", "\xef\xbf\xbd", "x"});
}

TEST_CASE("words: views that are not UTF-8 do not read past their end") {
  for (const char* text : {"\xe2", "\xf0\x9f", "\xff", "a\xc3"}) {
    CHECK_FALSE(split_words(text, 10).empty());
  }
}

TEST_CASE("words: no more than the limit") {
  CHECK(words("a b c d", 2) == Words{"a", "b"});
  CHECK(words("a b", 0).empty());
}

TEST_CASE("words: marks beyond the thirtieth on one character are left out, in linear time") {
  const std::string acute = "\u0301", grave = "\u0316";
  const auto repeated = [](const std::string& text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += text;
    return result;
  };
  CHECK(fold_text("x" + repeated(grave, 30) + "y") == "x" + repeated(grave, 30) + "y");
  CHECK(fold_text("x" + repeated(grave, 31) + "y") == "x" + repeated(grave, 30) + "y");
  // Each of these marks belongs before all those of the other kind: a sort by insertion would take
  // hours.
  CHECK(fold_text("x" + repeated(acute + grave, 2'000'000)) ==
        "x" + repeated(grave, 15) + repeated(acute, 15));
}
