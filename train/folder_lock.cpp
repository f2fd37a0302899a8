#include "train/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "tensor/require.h"

namespace bf {
namespace {

std::string holder_of(const std::string& path) {
  std::ifstream file(path);
  long process = 0;
  return file >> process ? join_parts("process ", process) : "another process";
}

}  // namespace

FolderLock::FolderLock(const std::string& folder) : path_(folder + "/lock") {
  while (true) {
    // A link is not followed: what it names would be emptied.
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    require_data(descriptor_ >= 0, path_, ": cannot write: ", std::strerror(errno));
    require_regular();
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      close(descriptor_);
      require_data(error != EWOULDBLOCK, folder, ": is in use by ", holder_of(path_));
      require_data(false, path_, ": cannot lock: ", std::strerror(error));
    }
    if (holds_the_name()) break;
    close(descriptor_);  // its last holder removed it between our open and our lock
  }
  require_ours();
  const std::string process = join_parts(getpid(), '\n');
  const bool written =
      ftruncate(descriptor_, 0) == 0 &&
      write(descriptor_, process.data(), process.size()) == static_cast<ssize_t>(process.size());
  if (written) return;
  const int error = errno;
  unlink(path_.c_str());
  close(descriptor_);
  require_data(false, path_, ": cannot write: ", std::strerror(error));
}

FolderLock::~FolderLock() {
  unlink(path_.c_str());  // first, while nobody else can hold it
  close(descriptor_);
}

void FolderLock::require_regular() const {
  struct stat held {};
  if (fstat(descriptor_, &held) == 0 && S_ISREG(held.st_mode)) return;
  close(descriptor_);
  require_data(false, path_, ": is not a regular file");
}

void FolderLock::require_ours() const {
  char content[32];
  const ssize_t bytes = pread(descriptor_, content, sizeof content, 0);
  const std::string_view text(content, bytes < 0 ? 0 : static_cast<std::size_t>(bytes));
  if (text.size() < sizeof content && text.find_first_not_of("0123456789\n") == text.npos) return;
  close(descriptor_);
  require_data(false, path_, ": is in the way: it is not the lock of a run");
}

bool FolderLock::holds_the_name() const {
  struct stat held {};
  struct stat named {};
  return fstat(descriptor_, &held) == 0 && lstat(path_.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

}  // namespace bf
