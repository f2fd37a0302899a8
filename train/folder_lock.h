#pragma once

#include <string>

namespace bf {

/// Holds FOLDER/lock, which names the process, so that no second process works in the folder. The
/// system releases the lock with the process, however that ends.
class FolderLock {
 public:
  /// Throws std::runtime_error, `runs/a: is in use by process 4242`, or when the file cannot be
  /// made, is a link or another thing that is not a file, or a file that no lock wrote.
  explicit FolderLock(const std::string& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  /// Removes the file.
  ~FolderLock();

 private:
  void require_regular() const;
  void require_ours() const;
  bool holds_the_name() const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace bf
