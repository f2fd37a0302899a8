#pragma once

#include <memory>
#include <string>
#include <vector>

#include "train/shuffle.h"

namespace bf {

/// The bytes of a file, gunzipped where the name ends in ".gz".
class InputFile {
 public:
  /// Throws std::runtime_error "path: rule" if the file is missing, a folder, a pipe or a device
  /// (which may have no end), unreadable, or named .gz without being gzip.
  explicit InputFile(const std::string& path);

  /// Up to `count` bytes into `bytes`; fewer only at the end of the file. Throws
  /// std::runtime_error for a read error or for damaged or cut gzip data.
  Index read(char* bytes, Index count);

  const std::string& path() const { return path_; }
  /// What the file has on disk, and a good size for a buffer: 64 KiB, less for a small file.
  Index stored_bytes() const { return stored_bytes_; }
  Index buffer_bytes() const { return buffer_bytes_; }

 private:
  struct Closer {
    void operator()(void* file) const;
  };
  Index read_once(char* bytes, Index count);

  std::string path_;
  std::unique_ptr<void, Closer> file_;  // a gzFile
  Index stored_bytes_ = 0, buffer_bytes_ = 0;
};

/// Longest line, CSV record, JSON object or text file that is read: 16 MiB.
constexpr Index longest_record_bytes = Index{16} << 20;

/// The whole file. Throws std::runtime_error as InputFile does, or if it is longer than `limit`.
std::string read_whole_file(const std::string& path, Index limit = longest_record_bytes);

/// The first of `names` that exists in `folder`, as it is or with ".gz" added; "" if none does.
std::string find_file(const std::string& folder, const std::vector<std::string>& names);

}  // namespace bf
