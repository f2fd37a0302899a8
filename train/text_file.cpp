#include "train/text_file.h"

#include <cstring>

#include "tensor/require.h"

namespace bf {

TextFile::TextFile(const std::string& path, Encoding encoding)
    : file_(path), encoding_(encoding), buffer_(file_.buffer_bytes()) {}

bool TextFile::fill() {
  begin_ = 0;
  end_ = file_.read(buffer_.data(), buffer_.size());
  return end_ > 0;
}

bool TextFile::line(std::string& text) {
  text.clear();
  problem_.clear();
  if (begin_ == end_ && !fill()) return false;
  ++line_number_;
  require_data(line_number_ <= most_lines(file_.stored_bytes()), path(), ": its ",
               file_.stored_bytes(), " bytes gunzip to more than ",
               most_lines(file_.stored_bytes()), " lines: not read");
  ended_ = false;
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const auto* found = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    const Index length = found != nullptr ? static_cast<Index>(found - from) : end_ - begin_;
    text.append(from, length);
    require_data(text.size() <= longest_record_bytes, place(), ": line longer than ",
                 longest_record_bytes, " bytes");
    begin_ += length;
    if (found != nullptr) {
      ++begin_;
      ended_ = true;
      break;
    }
    if (!fill()) break;
  }
  decode(text);
  return true;
}

void TextFile::decode(std::string& text) {
  if (!text.empty() && text.back() == '\r') text.pop_back();
  if (encoding_ == Encoding::latin1) {
    text = latin1_to_utf8(text);
    return;
  }
  if (line_number_ == 1 && text.compare(0, 3, "\xef\xbb\xbf") == 0) text.erase(0, 3);
  const Index bad = invalid_utf8_at(text);
  if (bad != std::string_view::npos) problem_ = place() + ": " + encoding_problem(text, bad);
}

}  // namespace bf
