#pragma once

#include <string>
#include <vector>

#include "train/encoding.h"
#include "train/input_file.h"

namespace bf {

/// Lines that a file of so many bytes may have. More can only be in gzip data, where a million
/// short lines are a few kilobytes, and a row of each takes some 150 bytes of memory.
constexpr Index most_lines(Index stored_bytes) { return 1'000'000 + stored_bytes; }

/// The lines of a text file, plain or .gz, as UTF-8, with their numbers.
class TextFile {
 public:
  /// Throws as InputFile.
  TextFile(const std::string& path, Encoding encoding);

  /// The next line without its line break (LF or CR LF) and without a byte order mark; false at
  /// the end. A line that is not valid UTF-8 is returned as it is, and problem() says where.
  /// Throws std::runtime_error for a line of more than 16 MiB, and for more than most_lines().
  bool line(std::string& text);

  /// Whether the line returned last ended with a line break: the last one of a file may not.
  bool ended() const { return ended_; }
  /// Number of the line returned last, from 1.
  Index line_number() const { return line_number_; }
  /// What is wrong with the encoding of the line returned last, as "path:line: ..."; else "".
  const std::string& problem() const { return problem_; }
  /// "path:line" of the line returned last.
  std::string place() const { return path() + ":" + std::to_string(line_number_); }
  const std::string& path() const { return file_.path(); }

 private:
  bool fill();
  void decode(std::string& text);

  InputFile file_;
  Encoding encoding_;
  std::vector<char> buffer_;
  Index begin_ = 0;  // what is left of the buffer: [begin_, end_)
  Index end_ = 0;
  Index line_number_ = 0;
  bool ended_ = false;
  std::string problem_;
};

}  // namespace bf
