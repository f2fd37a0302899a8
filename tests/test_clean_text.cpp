#include "train/clean_text.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unicode_characters.h"

using bf::clean_text;

TEST_CASE("clean_text: line break tags become spaces, other tags stay") {
  CHECK(clean_text("Great.<br /><br />Bad") == "Great. Bad");
  CHECK(clean_text("a<BR>b<br/>c<br   />d") == "a b c d");
  CHECK(clean_text("a <b>bold</b> <br <bread>") == "a <b>bold</b> <br <bread>");
}

TEST_CASE("clean_text: entities with their ampersand") {
  CHECK(clean_text("&lt;b&gt; &amp; &quot;x&quot; &apos; &#39;s &#x41; &#233;") ==
        "<b> & \"x\" ' 's A é");
  CHECK(clean_text("&#8217; &#146; &#151;") == "’ ’ —");
  CHECK(clean_text("a&nbsp;b") == "a b");
}

TEST_CASE("clean_text: entities that lost their ampersand") {
  CHECK(clean_text("Turkey #39;s  quot;no quot; for  #36;10") == "Turkey 's \"no \" for $10");
  CHECK(clean_text("AT amp;T lt;") == "AT &T <");
}

TEST_CASE("clean_text: what only looks like an entity stays") {
  for (const char* text : {"he felt; she left;", "We are #1; they #20;", "a; b;", ";", "&;", "#;",
                           "&#;", "&#x;", "&nosuch;", "&lt", "&#99999999999;", "x&y;z"}) {
    CHECK(clean_text(text) == text);
  }
}

TEST_CASE("clean_text: nothing is decoded twice") {
  CHECK(clean_text("&amp;lt;") == "&lt;");
  CHECK(clean_text("&amp;#39;") == "&#39;");
  CHECK(clean_text("&#38;amp;") == "&amp;");
}

TEST_CASE("clean_text: a code that is no character becomes U+FFFD, a control character a space") {
  CHECK(clean_text("&#xd800;x") == "\xef\xbf\xbdx");
  CHECK(clean_text("a&#0;b&#7;c") == "a b c");
}

TEST_CASE("clean_text: backslashes") {
  CHECK(clean_text(R"(x\$7.7 #39;s &lt;b&gt;)") == "x$7.7 's <b>");
  CHECK(clean_text(R"(Two\\lines)") == "Two lines");
  CHECK(clean_text(R"(a second\team of\12 men)") == "a second team of 12 men");
  CHECK(clean_text(R"(a, b\nc\n\nd)") == "a, b c d");
  CHECK(clean_text(R"(say \"hi\" \& go)") == "say \"hi\" & go");
  CHECK(clean_text(R"(of the power grid.\)") == "of the power grid.");
  CHECK(clean_text(R"(\\\\)") == "");
  CHECK(clean_text(R"(a \<br />b)") == "a b");
}

TEST_CASE("clean_text: escaped Unicode") {
  CHECK(clean_text(R"(caf\u00e9 \ud83d\ude00)") == "café 😀");
  CHECK(clean_text(R"(the\union \u12 \ud83dx)") == "the union u12 \xef\xbf\xbdx");
}

TEST_CASE("clean_text: white space and control characters of every kind become one space") {
  CHECK(clean_text("  a\t\r\n b\x01\x7f"
                   "c\xc2\xa0"
                   "d\xe3\x80\x80"
                   "e\xef\xbb\xbf"
                   "f\xc2\x85g  ") == "a b c d e f g");
  CHECK(clean_text(std::string("a\0b", 3)) == "a b");
  for (const char* text : {"", "   ", "\x01\x02\x03", "\xc2\xa0"}) CHECK(clean_text(text) == "");
}

TEST_CASE("clean_text: of all of Unicode they and a lone backslash become spaces") {
  CHECK(bf::characters_that_break([](UChar32 code, const std::string& character) {
          const bool space = u_charType(code) == U_CONTROL_CHAR || u_isUWhiteSpace(code) != 0 ||
                             code == 0x200b || code == 0xfeff || code == '\\';
          return clean_text('a' + character + 'b') == (space ? "a b" : 'a' + character + 'b');
        }) == "");
}

TEST_CASE("clean_text: other text passes unchanged, even if it is not UTF-8") {
  for (const char* text : {"naïve €5 — 😀 日本", "caf\xe9", "x\xe2\x82", "\xff\xfe"}) {
    CHECK(clean_text(text) == text);
  }
}
