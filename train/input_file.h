#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "train/shuffle.h"

namespace bf {

/// The bytes of a file, gunzipped where it begins as gzip does.
class InputFile {
 public:
  /// Throws std::runtime_error "path: rule" if the file is missing, a folder, a pipe or a device
  /// (which may have no end), unreadable, or named .gz without being gzip.
  explicit InputFile(const std::string& path);
  ~InputFile();

  /// Up to `count` bytes into `bytes`; fewer only at the end of the file. Throws
  /// std::runtime_error for a read error, for damaged or cut gzip data, for anything but gzip data
  /// or zeros behind it, and for a file that grows too much (see most_gunzipped()).
  Index read(char* bytes, Index count);

  const std::string& path() const { return path_; }
  /// What the file has on disk, and a good size for a buffer: 64 KiB, less for a small file.
  Index stored_bytes() const { return stored_bytes_; }
  Index buffer_bytes() const { return stored_.size(); }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Gunzip;
  bool refill();
  Index copy(char* bytes, Index count);
  bool find_member();
  Index inflate_some(char* bytes, Index count);
  Index gunzip(char* bytes, Index count);

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  Index stored_bytes_ = 0;
  std::vector<char> stored_;  // [begin_, end_) of it is left of what was read last
  Index begin_ = 0, end_ = 0;
  Index taken_ = 0;                 // bytes of the file before end_
  std::unique_ptr<Gunzip> gunzip_;  // none for a plain file
};

/// What so many bytes of gzip data may become: 64 MiB, and 100 times as many. Text becomes 3 to 5
/// times as many; deflate could give 1,032 times as many.
constexpr Index most_gunzipped(Index stored_bytes) {
  return (Index{64} << 20) + 100 * stored_bytes;
}

/// Longest line, CSV record, JSON object or text file that is read: 16 MiB.
constexpr Index longest_record_bytes = Index{16} << 20;

/// The whole file. Throws std::runtime_error as InputFile does, or if it is longer than `limit`.
std::string read_whole_file(const std::string& path, Index limit = longest_record_bytes);

/// Whether there is something of this name, be it a link to nothing. Throws std::runtime_error when
/// that cannot be told, which is not that there is nothing.
bool is_there(const std::string& path);

/// The first of `names` that exists in `folder` and is no folder, as it is or with ".gz" added; ""
/// if none does. Throws as is_there().
std::string find_file(const std::string& folder, const std::vector<std::string>& names);

}  // namespace bf
