#pragma once

#include <string>

#include "tensor/real.h"

namespace bf {

/// A file that appears under its name complete and on the disk, or not at all: it is written under
/// a temporary name in the same folder (NAME.tmp and a number), synced, and renamed. A reader, a
/// killed process or a power cut finds the earlier file or the new one, never a part of it. A link
/// stays a link: the file that it names is replaced. What is there and is not a file is refused.
/// Everything throws std::runtime_error, `save: "FILE": cannot write: No space left on device`.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Removes the temporary file unless commit() succeeded.
  ~AtomicFile();

  void write(const void* data, Index bytes);
  void write(const std::string& text) { write(text.data(), text.size()); }
  /// Syncs the file, gives it its name, and syncs the folder. Call it once, last.
  void commit();

 private:
  void close_file();
  [[noreturn]] void fail(const char* what) const;

  std::string path_, target_, temporary_;
  int descriptor_ = -1;
};

/// "a.json" for "a.json.tmp0", the name of a file that an AtomicFile did not come to rename; empty
/// for every other name.
std::string name_of_unfinished(const std::string& file_name);

/// An AtomicFile with this text.
void write_whole_file(const std::string& path, const std::string& text);

/// Waits until what was written to this file, or the names in this folder, are on the disk. Throws
/// std::runtime_error as AtomicFile does.
void sync_path(const std::string& path);

/// Makes this folder and those above it where they are not there yet, their names on the disk.
/// Throws std::runtime_error, `runs/a: cannot make the folder: Not a directory`.
void make_folders(const std::string& path);

}  // namespace bf
