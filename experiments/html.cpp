#include "experiments/html.h"

#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <cstdint>

#include "tensor/require.h"

namespace bf {
namespace {

constexpr const char* style = R"(
body { margin: 24px auto; padding: 0 20px; max-width: 1220px; background: #fff; color: #1a1a1a;
  font: 16px/1.45 "DejaVu Sans", Verdana, Arial, sans-serif; }
h1 { font-size: 27px; margin: 0 0 12px; } h2 { font-size: 21px; margin: 36px 0 8px;
  border-bottom: 2px solid #0072b2; padding-bottom: 4px; }
h3 { font-size: 17px; margin: 24px 0 6px; }
p { max-width: 1000px; margin: 8px 0; } .note { color: #444; font-size: 14px; }
.headline p { font-size: 18px; }
figure { display: inline-block; vertical-align: top; margin: 10px 16px 14px 0; max-width: 100%; }
figcaption { width: 0; min-width: 100%; font-size: 14.5px; min-height: 42px; margin-bottom: 4px;
  display: flex; align-items: flex-end; }
figure.map figcaption { width: auto; min-height: 0; }
svg { max-width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 10px 0; font-size: 13px; }
th, td { padding: 3px 6px; text-align: right; border-bottom: 1px solid #ddd; }
th { border-bottom: 2px solid #555; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; } td { white-space: nowrap; }
tr:hover td { background: #f2f6fa; }
details { margin: 6px 0; font-size: 14px; } summary { cursor: pointer; color: #004d80; }
pre { background: #f5f5f5; padding: 8px 10px; white-space: pre-wrap; word-break: break-word;
  font-size: 12.5px; margin: 4px 0; }
)";

constexpr UChar32 replacement = 0xFFFD;

/// Of a code point that may stand in a page; a space for one that may not.
UChar32 harmless(UChar32 code) {
  if (code < 0) return replacement;
  const auto type = u_charType(code);
  const bool control = type == U_CONTROL_CHAR || type == U_LINE_SEPARATOR ||
                       type == U_PARAGRAPH_SEPARATOR || code == 0xFEFF;
  return control || u_hasBinaryProperty(code, UCHAR_BIDI_CONTROL) ? ' ' : code;
}

void append(UChar32 code, std::string& text) { icu::UnicodeString(code).toUTF8String(text); }

const char* entity(UChar32 code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return nullptr;
  }
}

std::string made_fit(std::string_view text, bool entities) {
  std::string result;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto size = static_cast<std::int32_t>(text.size());
  for (std::int32_t next = 0; next < size;) {
    UChar32 code = 0;
    U8_NEXT(bytes, next, size, code);
    code = harmless(code);
    const char* name = entities ? entity(code) : nullptr;
    if (name != nullptr) {
      result += name;
    } else {
      append(code, result);
    }
  }
  return result;
}

void check(const ReportTable& table) {
  for (const auto& row : table.rows) {
    require(row.size() == table.head.size(), "report table: a row has ", row.size(),
            " cells, the head has ", table.head.size());
  }
}

std::string html_row(const std::vector<std::string>& cells, const char* tag) {
  std::string text = "<tr>";
  for (const std::string& cell : cells) {
    text += join_parts('<', tag, '>', escape_html(cell), "</", tag, '>');
  }
  return text + "</tr>\n";
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) {
    text += ' ';
    for (const char c : plain_text(cell)) {
      if (c == '|' || c == '<') text += '\\';
      text += c;
    }
    text += " |";
  }
  return text + '\n';
}

}  // namespace

std::string escape_html(std::string_view text) { return made_fit(text, true); }
std::string plain_text(std::string_view text) { return made_fit(text, false); }

std::string html_table(const ReportTable& table) {
  check(table);
  std::string text = "<div class=\"scroll\"><table>\n<thead>" + html_row(table.head, "th");
  text += "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) text += html_row(row, "td");
  return text + "</tbody></table></div>\n";
}

std::string markdown_table(const ReportTable& table) {
  check(table);
  std::string text = markdown_row(table.head) + '|';
  for (std::size_t i = 0; i < table.head.size(); ++i) text += i == 0 ? " --- |" : " ---: |";
  text += '\n';
  for (const auto& row : table.rows) text += markdown_row(row);
  return text;
}

HtmlPage::HtmlPage(const std::string& title) : title_(title) { heading(1, title); }

void HtmlPage::heading(int level, const std::string& text) {
  body_ += join_parts("<h", level, '>', escape_html(text), "</h", level, ">\n");
}

void HtmlPage::paragraph(const std::string& text) { body_ += "<p>" + escape_html(text) + "</p>\n"; }

void HtmlPage::note(const std::string& text) {
  body_ += "<p class=\"note\">" + escape_html(text) + "</p>\n";
}

void HtmlPage::table(const ReportTable& table) { body_ += html_table(table); }

void HtmlPage::folded(const std::string& title, const std::vector<std::string>& lines) {
  body_ += "<details><summary>" + escape_html(title) + "</summary>\n<pre>";
  for (const std::string& line : lines) body_ += escape_html(line) + '\n';
  body_ += "</pre></details>\n";
}

void HtmlPage::figure(const std::string& sentence, const std::string& picture) {
  body_ +=
      "<figure><figcaption>" + escape_html(sentence) + "</figcaption>\n" + picture + "</figure>\n";
}

std::string HtmlPage::html() const {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escape_html(title_) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n" + body_ +
         "</body>\n</html>\n";
}

}  // namespace bf
