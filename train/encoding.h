#pragma once

#include <string>
#include <string_view>

#include "train/shuffle.h"

namespace bf {

/// How the bytes of a file stand for characters. Inside the program text is always UTF-8.
enum class Encoding { utf8, latin1 };

/// "utf-8", "utf8", "iso-8859-1" or "latin1", in any case; std::invalid_argument for others.
Encoding parse_encoding(const std::string& name);

/// Place of the first byte of `text` that is not part of well-formed UTF-8 (overlong forms and
/// surrogates are not), or std::string_view::npos.
Index invalid_utf8_at(std::string_view text);

/// The character `code` in UTF-8 at the end of `text`; what is no character becomes U+FFFD.
void append_utf8(std::string& text, char32_t code);

/// ISO-8859-1 bytes as UTF-8.
std::string latin1_to_utf8(std::string_view bytes);

/// "invalid UTF-8 byte 0xe9 at column 12; pass --encoding" for the byte at `at` of one line.
std::string encoding_problem(std::string_view line, Index at);

}  // namespace bf
