#include "train/encoding.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

using namespace bf;

TEST_CASE("encoding: names in any case, others are refused") {
  CHECK(parse_encoding("UTF-8") == Encoding::utf8);
  CHECK(parse_encoding("utf8") == Encoding::utf8);
  CHECK(parse_encoding("ISO-8859-1") == Encoding::latin1);
  CHECK(parse_encoding("latin1") == Encoding::latin1);
  CHECK_THROWS_WITH_AS(parse_encoding("utf-16"),
                       "encoding: expected utf-8 or iso-8859-1, got \"utf-16\"",
                       std::invalid_argument);
}

TEST_CASE("encoding: well-formed UTF-8 passes, wherever the blocks of eight end") {
  for (Index before = 0; before < 10; ++before) {
    const std::string text =
        std::string(before, 'x') + "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" + std::string(9, 'y');
    CHECK(invalid_utf8_at(text) == std::string_view::npos);
  }
  CHECK(invalid_utf8_at("") == std::string_view::npos);
}

TEST_CASE("encoding: the first bad byte is found") {
  // Stray tail, cut sequence, overlong forms, surrogate, above U+10FFFF, bytes never used.
  for (const std::string bad : {"\x80", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                                "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe2\x82"}) {
    for (Index before = 0; before < 10; ++before) {
      CHECK(invalid_utf8_at(std::string(before, 'x') + bad) == before);
      CHECK(invalid_utf8_at(std::string(before, 'x') + bad + "0123456789") == before);
    }
  }
}

TEST_CASE("encoding: ISO-8859-1 becomes UTF-8") {
  CHECK(latin1_to_utf8("caf\xe9 A\xa0\xff") == "café A\xc2\xa0ÿ");
}

TEST_CASE("encoding: characters of every length, and U+FFFD for what is none") {
  std::string text;
  for (const char32_t code : {U'A', U'é', U'€', U'😀', char32_t{0xd800}, char32_t{0x110000}}) {
    append_utf8(text, code);
  }
  CHECK(text == "Aé€😀\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("encoding: the message gives byte, column and option") {
  CHECK(encoding_problem("caf\xe9", 3) == "invalid UTF-8 byte 0xe9 at column 4; pass --encoding");
  CHECK(encoding_problem("\x80", 0) == "invalid UTF-8 byte 0x80 at column 1; pass --encoding");
}
