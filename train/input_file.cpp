#include "train/input_file.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tensor/require.h"

namespace bf {
namespace {

namespace fs = std::filesystem;

constexpr unsigned buffer_bytes = 1U << 16;
constexpr Index largest_read = Index{1} << 30;

gzFile handle(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void InputFile::Closer::operator()(void* file) const { gzclose(handle(file)); }

InputFile::InputFile(const std::string& path) : path_(path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  require_data(!fs::is_directory(status), path, ": is a folder, not a file");
  // A pipe would be waited for, and a device read for ever.
  require_data(fs::is_regular_file(status) || !fs::exists(status), path, ": is not a regular file");
  errno = 0;
  file_.reset(gzopen(path.c_str(), "rb"));
  require_data(file_ != nullptr, path,
               ": cannot open: ", errno != 0 ? std::strerror(errno) : "out of memory");
  gzbuffer(handle(file_.get()), buffer_bytes);
  // zlib hands through what does not begin as gzip; with this name that is damage.
  const bool named_gzip = path.size() > 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
  require_data(!named_gzip || gzdirect(handle(file_.get())) == 0, path, ": not a gzip file");
}

Index InputFile::read(char* bytes, Index count) {
  Index done = 0;
  while (done < count) {
    const auto step = static_cast<unsigned>(std::min(count - done, largest_read));
    const int got = gzread(handle(file_.get()), bytes + done, step);
    int error = Z_OK;
    const char* message = gzerror(handle(file_.get()), &error);
    // A cut file ends without an error from gzread itself: Z_BUF_ERROR is its only trace.
    require_data(got >= 0 && (error == Z_OK || error == Z_STREAM_END), path_, ": cannot read: ",
                 error == Z_ERRNO       ? std::strerror(errno)
                 : error == Z_BUF_ERROR ? "the compressed data ends too early"
                                        : message);
    done += static_cast<Index>(got);
    if (got == 0) break;
  }
  return done;
}

std::string read_whole_file(const std::string& path, Index limit) {
  InputFile file(path);
  std::string text;
  std::error_code error;
  const auto size = fs::file_size(path, error);
  text.resize(error ? buffer_bytes : std::min(limit, static_cast<Index>(size)) + 1);
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
