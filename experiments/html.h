#pragma once

#include <string>
#include <string_view>
#include <vector>

// Pages that need nothing but themselves: no script, no style sheet and no picture from elsewhere.
namespace bf {

/// Text from outside (texts, class names, folders) made fit to stand in a page or an attribute:
/// & < > " ' become entities, control characters and marks that turn the direction of writing
/// become spaces, bytes that are not UTF-8 become U+FFFD.
std::string escape_html(std::string_view text);

/// The same without the entities, for a program that escapes what it is given.
std::string plain_text(std::string_view text);

/// Rows of plain cells; the first row is the head. Escaped when written.
struct ReportTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// Every row has as many cells as the head, else std::invalid_argument.
std::string html_table(const ReportTable& table);
/// The same as a table of Markdown; a | in a cell is escaped.
std::string markdown_table(const ReportTable& table);

/// One page, from top to bottom.
class HtmlPage {
 public:
  explicit HtmlPage(const std::string& title);

  /// Level 1 to 3.
  void heading(int level, const std::string& text);
  void paragraph(const std::string& text);
  void note(const std::string& text);  ///< a paragraph in small print
  void table(const ReportTable& table);
  /// Lines behind a title that unfolds them.
  void folded(const std::string& title, const std::vector<std::string>& lines);
  /// A picture below the sentence that says what to read from it; `picture` is markup.
  void figure(const std::string& sentence, const std::string& picture);
  /// Markup, as it is.
  void markup(const std::string& html) { body_ += html; }

  std::string html() const;

 private:
  std::string title_, body_;
};

}  // namespace bf
