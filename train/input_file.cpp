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
constexpr Index largest_step = Index{1} << 30;

}  // namespace

/// zlib's own reader of files leaves out, without a word, what does not begin as gzip behind a
/// whole member: a second member with a damaged header, or rows that were appended as plain text.
struct InputFile::Gunzip {
  z_stream stream{};
  bool inside = false;  // a member, between its header and its checksum
  Index written = 0;

  /// 16 asks for gzip's header and trailer: inflate() compares checksum and length.
  Gunzip() { require_data(inflateInit2(&stream, 15 + 16) == Z_OK, "gunzip: out of memory"); }
  ~Gunzip() { inflateEnd(&stream); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;
};

InputFile::InputFile(const std::string& path) : path_(path) {
  struct stat status {};
  const bool there = stat(path.c_str(), &status) == 0;
  require_data(!there || !S_ISDIR(status.st_mode), path, ": is a folder, not a file");
  // A pipe would be waited for, and a device read for ever.
  require_data(!there || S_ISREG(status.st_mode), path, ": is not a regular file");
  file_.reset(std::fopen(path.c_str(), "rbe"));
  require_data(file_ != nullptr, path, ": cannot open: ", std::strerror(errno));
  stored_bytes_ = static_cast<Index>(status.st_size);
  stored_.resize(std::clamp(stored_bytes_, smallest_buffer, largest_buffer));
  refill();
  const bool gzip = end_ >= 2 && stored_[0] == '\x1f' && stored_[1] == '\x8b';
  require_data(gzip || !path.ends_with(".gz"), path, ": not a gzip file");
  if (gzip) gunzip_ = std::make_unique<Gunzip>();
}

InputFile::~InputFile() = default;

/// The next bytes of the file; false at its end.
bool InputFile::refill() {
  begin_ = 0;
  end_ = std::fread(stored_.data(), 1, stored_.size(), file_.get());
  require_data(std::ferror(file_.get()) == 0, path_, ": cannot read: ", std::strerror(errno));
  taken_ += end_;
  return end_ > 0;
}

Index InputFile::copy(char* bytes, Index count) {
  if (begin_ == end_ && !refill()) return 0;
  const Index length = std::min(count, end_ - begin_);
  std::memcpy(bytes, stored_.data() + begin_, length);
  begin_ += length;
  return length;
}

/// Passes over the zeros with which a file may be padded; false if the file ends there.
bool InputFile::find_member() {
  while (begin_ < end_ || refill()) {
    if (stored_[begin_] != '\0') break;
    ++begin_;
  }
  if (begin_ == end_) return false;
  require_data(stored_[begin_] == '\x1f', path_, ": cannot read: at byte ",
               taken_ - (end_ - begin_), ", behind gzip data, is neither more of it nor padding");
  inflateReset(&gunzip_->stream);
  return gunzip_->inside = true;
}

/// Goes on with the member; 0 where it takes bytes in without giving any, as at its header.
Index InputFile::inflate_some(char* bytes, Index count) {
  if (begin_ == end_) refill();  // at the end of the file inflate() may still have something
  z_stream& stream = gunzip_->stream;
  const Index room = std::min(count, largest_step);
  stream.next_in = reinterpret_cast<Bytef*>(stored_.data() + begin_);
  stream.avail_in = static_cast<unsigned>(end_ - begin_);
  stream.next_out = reinterpret_cast<Bytef*>(bytes);
  stream.avail_out = static_cast<unsigned>(room);
  const int result = inflate(&stream, Z_NO_FLUSH);
  begin_ = end_ - stream.avail_in;
  require_data(result != Z_BUF_ERROR, path_, ": cannot read: the compressed data ends too early");
  require_data(result == Z_OK || result == Z_STREAM_END, path_,
               ": cannot read: ", stream.msg != nullptr ? stream.msg : zError(result));
  gunzip_->inside = result == Z_OK;
  gunzip_->written += room - stream.avail_out;
  const Index stored = taken_ - (end_ - begin_);
  require_data(gunzip_->written <= most_gunzipped(stored), path_, ": its first ", stored,
               " bytes gunzip to more than ", most_gunzipped(stored), " bytes: not read");
  return room - stream.avail_out;
}

Index InputFile::gunzip(char* bytes, Index count) {
  Index got = 0;
  while (got == 0 && (gunzip_->inside || find_member())) got = inflate_some(bytes, count);
  return got;
}

Index InputFile::read(char* bytes, Index count) {
  Index done = 0;
  while (done < count) {
    const Index got =
        gunzip_ == nullptr ? copy(bytes + done, count - done) : gunzip(bytes + done, count - done);
    if (got == 0) break;
    done += got;
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

bool is_there(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  require_data(fs::status_known(status), path, ": cannot be looked at: ", error.message());
  return fs::exists(status);
}

std::string find_file(const std::string& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    for (const char* ending : {"", ".gz"}) {
      std::string path = (fs::path(folder) / (name + ending)).string();
      std::error_code ignored;
      if (is_there(path) && !fs::is_directory(path, ignored)) return path;
    }
  }
  return "";
}

}  // namespace bf
