#include "nn/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tensor/require.h"

namespace bf {
namespace {

namespace fs = std::filesystem;

/// Left-overs of killed processes and other writers of the same file may hold the first names.
constexpr int most_names = 1000;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw std::runtime_error(join_parts("save: \"", path, "\": ", what, ": ", std::strerror(errno)));
}

/// The file that a rename may replace. A link stays and the file behind it is replaced; a device, a
/// pipe or a folder is nothing that a file can take the place of.
std::string replaceable(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  require_data(!fs::exists(status) || fs::is_regular_file(status), "save: \"", path,
               "\": is not a regular file");
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path target = fs::canonical(path, error);
  require_data(!error, "save: \"", path, "\": cannot follow the link: ", error.message());
  return target;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(replaceable(path_)) {
  for (int attempt = 0; descriptor_ < 0 && attempt < most_names; ++attempt) {
    temporary_ = join_parts(target_, ".tmp", attempt);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) fail("cannot create");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, Index bytes) {
  const char* rest = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, rest, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    rest += written;
    bytes -= static_cast<Index>(written);
  }
}

void AtomicFile::commit() {
  if (fsync(descriptor_) != 0) fail("cannot sync");
  close_file();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot rename");
  temporary_.clear();
  // The name is on the disk only when the folder is.
  const fs::path folder = fs::path(target_).parent_path();
  sync_path(folder.empty() ? "." : folder.string());
}

void AtomicFile::close_file() {
  // Network file systems report a failed write only here.
  if (close(std::exchange(descriptor_, -1)) != 0) fail("cannot close");
}

void AtomicFile::fail(const char* what) const { bf::fail(path_, what); }

std::string name_of_unfinished(const std::string& file_name) {
  const Index dot = file_name.rfind(".tmp");
  if (dot == std::string::npos || dot + 4 == file_name.size()) return "";
  if (file_name.find_first_not_of("0123456789", dot + 4) != std::string::npos) return "";
  return file_name.substr(0, dot);
}

void sync_path(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "cannot open");
  // A file system that cannot sync a folder (EINVAL) has nothing better to offer.
  const int error = fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  close(descriptor);
  errno = error;
  if (error != 0) fail(path, "cannot sync");
}

void write_whole_file(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void make_folders(const std::string& path) {
  fs::path folder = path;
  if (!folder.has_filename()) folder = folder.parent_path();  // without the last slash
  std::vector<std::string> changed;
  std::error_code error;
  for (fs::path i = folder; !i.empty() && !fs::exists(i, error); i = i.parent_path()) {
    changed.push_back(i.has_parent_path() ? i.parent_path().string() : ".");
  }
  fs::create_directories(folder, error);
  require_data(!error, path, ": cannot make the folder: ", error.message());
  for (const std::string& parent : changed) sync_path(parent);
}

}  // namespace bf
