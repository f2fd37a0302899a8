#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "tensor/printable.h"
#include "train/encoding.h"

namespace bf::fuzz {
namespace {

namespace fs = std::filesystem;

/// A folder, removed at the end of the process.
class Scratch {
 public:
  Scratch() {
    const fs::path memory = "/dev/shm";
    const fs::path above = fs::is_directory(memory) ? memory : fs::temp_directory_path();
    std::string name = (above / "bf-fuzz-XXXXXX").string();
    require_data(mkdtemp(name.data()) != nullptr, "cannot make ", name);
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int descriptor(int number) {
  static std::map<int, int> known;
  const auto found = known.find(number);
  if (found != known.end()) return found->second;
  const int made = memfd_create("bf-fuzz", MFD_CLOEXEC);
  require_data(made >= 0, "no file in memory");
  return known[number] = made;
}

std::string path_of(int number) { return join_parts("/proc/self/fd/", descriptor(number)); }

}  // namespace

void expect_printable(std::string_view text) {
  expect(printable(text) == text, "not printable: ", shortened(text, 200));
  // And by somebody else's list.
  const auto all = icu::UnicodeString::fromUTF8(text);
  for (int32_t at = 0; at < all.length(); at = all.moveIndex32(at, 1)) {
    const UChar32 c = all.char32At(at);
    const int type = u_charType(c);
    expect(type != U_CONTROL_CHAR && type != U_LINE_SEPARATOR && type != U_PARAGRAPH_SEPARATOR &&
               !u_hasBinaryProperty(c, UCHAR_BIDI_CONTROL),
           "a terminal obeys the character ", at);
  }
}

void expect_clean(std::string_view text) {
  expect(invalid_utf8_at(text) == std::string_view::npos, "not UTF-8: ", shortened(text, 200));
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool wide_control = byte == 0xc2 && static_cast<unsigned char>(text[at + 1]) < 0xa0;
    expect(byte >= 0x20 && byte != 0x7f && !wide_control, "a control character at byte ", at);
  }
}

void expect_message(std::string_view beginning, std::string_view message) {
  expect(!message.empty(), "an error without words");
  expect_printable(message);
  expect(message.size() <= 2000, "an error of ", message.size(), " bytes");
  expect(message.compare(0, beginning.size(), beginning) == 0, "does not begin with ", beginning,
         ": ", shortened(message, 200));
}

bool refused_well(std::string_view beginning, const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const std::runtime_error& error) {
    expect_message(beginning, error.what());
  } catch (const std::invalid_argument& error) {
    expect_message(beginning, error.what());
  }
  return false;
}

std::string memory_file(std::string_view bytes, int number) {
  const int file = descriptor(number);
  const auto written = pwrite(file, bytes.data(), bytes.size(), 0);
  require_data(written == static_cast<ssize_t>(bytes.size()) &&
                   ftruncate(file, static_cast<off_t>(bytes.size())) == 0,
               "cannot fill a file in memory");
  return path_of(number);
}

std::string folder_of(std::string_view target) {
  static const Scratch scratch;
  const fs::path folder = fs::path(scratch.path()) / target;
  fs::create_directory(folder);
  return folder.string();
}

void place(const std::string& folder, const std::string& name, std::string_view bytes, int number) {
  const std::string path = memory_file(bytes, number);
  const fs::path link = fs::path(folder) / name;
  if (!fs::is_symlink(link)) fs::create_symlink(path, link);
}

int choice(std::string_view& bytes, int count) {
  if (bytes.empty()) return 0;
  const int first = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  return first % count;
}

}  // namespace bf::fuzz
