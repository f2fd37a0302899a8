#include "train/input_file.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tensor/require.h"

namespace bf {
namespace {

namespace fs = std::filesystem;

constexpr Index smallest_buffer = Index{1} << 12, largest_buffer = Index{1} << 16;
constexpr Index largest_read = Index{1} << 30;

gzFile handle(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void InputFile::Closer::operator()(void* file) const { gzclose(handle(file)); }

InputFile::InputFile(const std::string& path) : path_(path) {
  struct stat status {};
  const bool there = stat(path.c_str(), &status) == 0;
  require_data(!there || !S_ISDIR(status.st_mode), path, ": is a folder, not a file");
  // A pipe would be waited for, and a device read for ever.
  require_data(!there || S_ISREG(status.st_mode), path, ": is not a regular file");
  errno = 0;
  file_.reset(gzopen(path.c_str(), "rb"));
  require_data(file_ != nullptr, path,
               ": cannot open: ", errno != 0 ? std::strerror(errno) : "out of memory");
  stored_bytes_ = static_cast<Index>(status.st_size);
  buffer_bytes_ = std::clamp(stored_bytes_, smallest_buffer, largest_buffer);
  gzbuffer(handle(file_.get()), static_cast<unsigned>(buffer_bytes_));
  // zlib hands through what does not begin as gzip; with this name that is damage.
  const bool named_gzip = path.size() > 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
  require_data(!named_gzip || gzdirect(handle(file_.get())) == 0, path, ": not a gzip file");
}

Index InputFile::read_once(char* bytes, Index count) {
  const auto most = static_cast<unsigned>(std::min(count, largest_read));
  const int got = gzread(handle(file_.get()), bytes, most);
  int error = Z_OK;
  const char* message = gzerror(handle(file_.get()), &error);
  // A cut file ends without an error from gzread itself: Z_BUF_ERROR is its only trace.
  require_data(got >= 0 && (error == Z_OK || error == Z_STREAM_END), path_, ": cannot read: ",
               error == Z_ERRNO       ? std::strerror(errno)
               : error == Z_BUF_ERROR ? "the compressed data ends too early"
                                      : message);
  return static_cast<Index>(got);
}

Index InputFile::read(char* bytes, Index count) {
  Index done = 0;
  while (done < count) {
    Index got = read_once(bytes + done, count - done);
    if (got == 0) {
      // Of a cut file zlib may have taken the last bytes in without giving all that they stand for;
      // it then says that this is the end. Asked once more it looks whether the data is complete.
      gzclearerr(handle(file_.get()));
      got = read_once(bytes + done, count - done);
    }
    done += got;
    if (got == 0) break;
  }
  return done;
}

std::string read_whole_file(const std::string& path, Index limit) {
  InputFile file(path);
  std::string text;
  text.resize(std::min(limit, file.stored_bytes()) + 1);
  Index length = 0;
  for (;;) {
    const Index got = file.read(text.data() + length, text.size() - length);
    length += got;
    require_data(length <= limit, path, ": longer than ", limit, " bytes");
    if (length < text.size()) break;
    text.resize(text.size() * 2);
  }
  text.resize(length);
  return text;
}

std::string find_file(const std::string& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    for (const char* ending : {"", ".gz"}) {
      const fs::path path = fs::path(folder) / (name + ending);
      std::error_code ignored;
      if (fs::is_regular_file(path, ignored)) return path.string();
    }
  }
  return "";
}

}  // namespace bf
