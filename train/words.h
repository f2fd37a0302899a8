#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bf {

/// `text` in one form for all spellings of a word: Unicode NFC, case folded ("Straße" and
/// "STRASSE" are both "strasse"), the typographic apostrophe as '. Bytes that are not UTF-8 become
/// U+FFFD. Text in ASCII takes a short way without ICU.
std::string fold_text(std::string_view text);

/// The words and punctuation marks of a text from fold_text(), as views into it:
///   - letters, marks and digits that touch are one word; an ideograph is a word of its own;
///   - an English ending behind an apostrophe ('s 't 'd 'm 're 've 'll) is a word with it, so that
///     "turkey's", "turkey 's" and "turkey" share "turkey"; "don't" is "don" and "'t";
///   - every other visible character is a word of its own;
///   - white space and invisible characters part words and vanish.
/// At most `limit` words.
std::vector<std::string_view> split_words(std::string_view folded, std::size_t limit);

}  // namespace bf
