#pragma once

#include <string>

#include "train/input_file.h"

namespace bf {

/// The regular files of a tar archive (ustar, with the long names of GNU and pax), plain or .gz,
/// in one pass without unpacking it to disk.
class TarReader {
 public:
  /// Throws as InputFile.
  explicit TarReader(const std::string& path) : file_(path) {}

  /// The next regular file; false at the end. Links and devices are passed over. Throws
  /// std::runtime_error for a damaged header, an archive that ends inside a file, a file of more
  /// than 16 MiB, or anything but zeros behind the end of the archive.
  bool next(std::string& name, std::string& content);

 private:
  std::string read_data(Index size);
  void skip(Index size);
  void require_end();

  InputFile file_;
  Index offset_ = 0;  // bytes read so far, for messages
};

}  // namespace bf
