#include "experiments/html.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tensor/printable.h"
#include "tests/unicode_characters.h"

using namespace bf;

TEST_CASE("html: what has a meaning in markup becomes an entity") {
  CHECK(escape_html("<script>\"a\" & 'b'") == "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;");
  CHECK(plain_text("<b> & 'c'") == "<b> & 'c'");
}

TEST_CASE("html: control characters and marks of direction become spaces") {
  CHECK(escape_html(std::string_view("a\0b\x1b[1m\n\x7f", 8)) == "a b [1m ");
  CHECK(escape_html("a\u202eb\u2066c\u0085d") == "a b c d");
  CHECK(escape_html("caf\u00e9 \u4e2d") == "caf\u00e9 \u4e2d");
}

TEST_CASE("html: of all of Unicode the characters that a terminal obeys become spaces, no others") {
  CHECK(characters_that_break([](UChar32, const std::string& character) {
          return plain_text(character) == printable(character);
        }) == "");
}

TEST_CASE("html: bytes that are not UTF-8 become the replacement character") {
  CHECK(escape_html("a\xff z") == "a\uFFFD z");
  CHECK(escape_html("\xe4\xb8") == "\uFFFD");
}

TEST_CASE("html: a table is written as markup and as Markdown") {
  const ReportTable table{{"model", "s"}, {{"a<b", "0|5"}}};
  CHECK(html_table(table).find("<tr><td>a&lt;b</td><td>0|5</td></tr>") != std::string::npos);
  CHECK(markdown_table(table) == "| model | s |\n| --- | ---: |\n| a\\<b | 0\\|5 |\n");
}

TEST_CASE("html: a row of another width is an error") {
  CHECK_THROWS_WITH_AS(html_table({{"a", "b"}, {{"c"}}}),
                       "report table: a row has 1 cells, the head has 2", std::invalid_argument);
}

TEST_CASE("html: a page escapes its title, headings, sentences and folded lines") {
  HtmlPage page("<t>");
  page.heading(2, "<h>");
  page.paragraph("<p>");
  page.note("<n>");
  page.folded("<d>", {"<l>"});
  page.figure("<f>", "<svg></svg>");
  const std::string html = page.html();
  for (const char* escaped :
       {"<title>&lt;t&gt;</title>", "<h2>&lt;h&gt;</h2>", "<p>&lt;p&gt;</p>", "&lt;n&gt;",
        "<summary>&lt;d&gt;", "<pre>&lt;l&gt;", "&lt;f&gt;</figcaption>\n<svg></svg>"}) {
    CAPTURE(escaped);
    CHECK(html.find(escaped) != std::string::npos);
  }
  CHECK(html.find("://") == std::string::npos);
}
