#include "tensor/printable.h"

#include <algorithm>

namespace bf {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Where the plain characters of ASCII that begin at `at` end: most texts are copied in one piece.
std::size_t plain_end(std::string_view text, std::size_t at) {
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  return static_cast<std::size_t>(std::find_if_not(text.begin() + at, text.end(), plain) -
                                  text.begin());
}

/// Whether the character is a command to a terminal, or turns what stands around it.
bool is_command(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  const unsigned second = byte_at(character, 1);
  if (character.size() == 2) {
    return (first == 0xc2 && second < 0xa0) || character == "\u061c";  // ARABIC LETTER MARK
  }
  if (character.size() != 3) return false;
  const unsigned code = (first & 0xf) << 12 | (second & 0x3f) << 6 | (byte_at(character, 2) & 0x3f);
  return code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) return 1;
  // The ranges of the second byte are those of table 3-7 of the Unicode standard.
  std::size_t length = 0;
  unsigned low = 0x80, high = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  }
  if (length == 0 || at + length > text.size()) return 0;
  if (byte_at(text, at + 1) < low || byte_at(text, at + 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = plain_end(text, at);
    result.append(text, at, plain - at);
    if ((at = plain) == text.size()) break;
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      result += '?';
      ++at;
      continue;
    }
    const std::string_view character = text.substr(at, length);
    if (is_command(character)) {
      result += ' ';
    } else {
      result += character;
    }
    at += length;
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return printable(text);
  // A character is not cut in two.
  std::size_t end = most;
  while (end > 0 && most - end < 3 && (byte_at(text, end) & 0xc0) == 0x80) --end;
  return printable(text.substr(0, end)) + "...";
}

}  // namespace bf
