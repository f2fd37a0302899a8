// Text files that may be compressed, by lines and whole.

#include "tests/fuzz/fuzz.h"
#include "train/text_file.h"

namespace bf::fuzz {

void gzip(std::string_view bytes) {
  const std::string path = memory_file(bytes);
  std::string whole, joined;
  const bool complete = refused_well(path, [&] { whole = read_whole_file(path); });
  const bool by_lines = refused_well(path, [&] {
    TextFile file(path, Encoding::utf8);
    for (std::string line; file.line(line);) {
      expect(line.find('\n') == std::string::npos, "a line with a break");
      expect_printable(file.problem());
      if (file.problem().empty()) {
        expect(invalid_utf8_at(line) == std::string_view::npos, "an unseen fault");
      }
      joined += line;
    }
  });
  expect(complete == by_lines, "one way of reading fails, the other does not");
  if (!complete) return;
  if (whole.compare(0, 3, "\xef\xbb\xbf") == 0) whole.erase(0, 3);  // one of two
  for (std::string* text : {&whole, &joined}) {
    std::erase_if(*text, [](char c) { return c == '\n' || c == '\r'; });
  }
  expect(whole == joined, "the lines are not the file");
}

}  // namespace bf::fuzz
