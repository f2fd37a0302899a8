#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

namespace bf {

/// While it lives, nothing can be made or renamed in this folder of a TempFolder; what is open
/// stays so. Root may do anything anywhere and is somebody else for the time.
class ReadOnlyFolder {
 public:
  explicit ReadOnlyFolder(std::string path) : path_(std::move(path)) {
    namespace fs = std::filesystem;
    fs::permissions(fs::path(path_).parent_path(), fs::perms{0711});
    fs::permissions(path_, fs::perms{0555});
    if (root_ && seteuid(nobody) != 0) works_ = false;
  }
  ~ReadOnlyFolder() {
    if (root_ && works_ && seteuid(0) != 0) _exit(1);
    std::filesystem::permissions(path_, std::filesystem::perms{0755});
  }
  ReadOnlyFolder(const ReadOnlyFolder&) = delete;
  ReadOnlyFolder& operator=(const ReadOnlyFolder&) = delete;

  /// False where root may not be somebody else, as in some containers.
  bool works() const { return works_; }

 private:
  static constexpr uid_t nobody = 65534;
  std::string path_;
  const bool root_ = geteuid() == 0;
  bool works_ = true;
};

}  // namespace bf
