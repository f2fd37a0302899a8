#pragma once

#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <string>

#include "tensor/require.h"

namespace bf {

/// " U+1c U+61c": those of all characters of Unicode that break a rule, a function of the code
/// point and of the character in UTF-8.
template <typename Rule>
std::string characters_that_break(const Rule& rule) {
  std::string broken;
  for (UChar32 code = 0; code <= UCHAR_MAX_VALUE; ++code) {
    if (u_charType(code) == U_SURROGATE) continue;
    std::string character;
    icu::UnicodeString(code).toUTF8String(character);
    if (!rule(code, character)) broken += join_parts(" U+", std::hex, code);
  }
  return broken;
}

}  // namespace bf
