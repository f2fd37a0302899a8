#include "train/encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "tensor/printable.h"
#include "tensor/require.h"

namespace bf {
namespace {

unsigned byte_at(std::string_view text, Index at) { return static_cast<unsigned char>(text[at]); }

}  // namespace

Encoding parse_encoding(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (lower == "utf-8" || lower == "utf8") return Encoding::utf8;
  if (lower == "iso-8859-1" || lower == "latin1") return Encoding::latin1;
  require(false, "encoding: expected utf-8 or iso-8859-1, got \"", name, "\"");
  return Encoding::utf8;
}

Index invalid_utf8_at(std::string_view text) {
  Index at = 0;
  while (at < text.size()) {
    // Eight ASCII bytes at a time.
    std::uint64_t block = 0;
    if (at + sizeof block <= text.size()) {
      std::memcpy(&block, text.data() + at, sizeof block);
      if ((block & 0x8080808080808080ULL) == 0) {
        at += sizeof block;
        continue;
      }
    }
    if (byte_at(text, at) < 0x80) {
      ++at;
      continue;
    }
    const Index length = utf8_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

void append_utf8(std::string& text, char32_t code) {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) code = 0xfffd;
  const auto tail = [&](unsigned shift) {
    text.push_back(static_cast<char>(0x80 | ((code >> shift) & 0x3f)));
  };
  if (code < 0x80) {
    text.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    text.push_back(static_cast<char>(0xc0 | (code >> 6)));
    tail(0);
  } else if (code < 0x10000) {
    text.push_back(static_cast<char>(0xe0 | (code >> 12)));
    tail(6);
    tail(0);
  } else {
    text.push_back(static_cast<char>(0xf0 | (code >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string latin1_to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char byte : bytes) append_utf8(text, static_cast<unsigned char>(byte));
  return text;
}

std::string encoding_problem(std::string_view line, Index at) {
  static constexpr std::array<char, 17> digits{"0123456789abcdef"};
  const unsigned byte = byte_at(line, at);
  const std::string hex{digits[byte >> 4], digits[byte & 15]};
  return join_parts("invalid UTF-8 byte 0x", hex, " at column ", at + 1, "; pass --encoding");
}

}  // namespace bf
