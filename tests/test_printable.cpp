#include "tensor/printable.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unicode_characters.h"

using namespace bf;

TEST_CASE("printable: what a terminal would obey becomes spaces") {
  CHECK(printable("plain text, \u00e9 \u4e2d \U0001f600") ==
        "plain text, \u00e9 \u4e2d \U0001f600");
  CHECK(printable("a\x1b[31mb\r\nc\td\x7f"
                  "e") == "a [31mb  c d e");
  CHECK(printable(std::string("a\0b", 3)) == "a b");
  CHECK(printable("a\u0085b\u009b2Jc\u00a0d") == "a b 2Jc\u00a0d");
  CHECK(printable("a\u202eb\u2066c\u2028d\u200fe\ufefff\u061cg") == "a b c d e f g");
}

TEST_CASE("printable: of all of Unicode no command is let through, and nothing else is lost") {
  CHECK(characters_that_break([](UChar32 code, const std::string& character) {
          const int type = u_charType(code);
          const bool command = type == U_CONTROL_CHAR || type == U_LINE_SEPARATOR ||
                               type == U_PARAGRAPH_SEPARATOR || code == 0xfeff ||
                               u_hasBinaryProperty(code, UCHAR_BIDI_CONTROL);
          return printable(character) == (command ? " " : character);
        }) == "");
}

TEST_CASE("printable: bytes that are not UTF-8 become question marks") {
  CHECK(printable("caf\xe9") == "caf?");
  CHECK(printable("\x9b"
                  "31m") == "?31m");
  CHECK(printable("a\xc0\x80"
                  "b\xed\xa0\x80"
                  "c\xf4\x90\x80\x80"
                  "d\xe4\xb8") == "a??b???c????d??");
}

TEST_CASE("printable: a message shows the beginning of a long text, in whole characters") {
  CHECK(shortened("short", 5) == "short");
  CHECK(shortened("longer", 5) == "longe...");
  CHECK(shortened("ab\u00e9cd", 3) == "ab...");
  CHECK(shortened("ab\u00e9cd", 4) == "ab\u00e9...");
  CHECK(shortened("a\U0001f600b", 4) == "a...");
  CHECK(shortened(std::string(100, '\x80'), 10) == std::string(7, '?') + "...");
  CHECK(shortened("a\nb") == "a b");
}
