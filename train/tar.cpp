#include "train/tar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "tensor/require.h"

namespace bf {
namespace {

constexpr Index block_bytes = 512;
using Block = std::array<char, block_bytes>;

/// A text field of the header: up to its first NUL.
std::string_view field(const Block& block, Index at, Index length) {
  const std::string_view whole(block.data() + at, length);
  return whole.substr(0, whole.find('\0'));
}

/// An octal number with blanks around it; the place is named if it is none.
Index octal(const Block& block, Index at, Index length, const std::string& place) {
  std::string_view digits = field(block, at, length);
  while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  Index value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  require_data(error == std::errc{} && end == digits.data() + digits.size(), place,
               "damaged tar header: not an octal number");
  return value;
}

/// Sum of the header's bytes, with its own checksum field read as blanks.
Index checksum(const Block& block) {
  Index sum = 0;
  for (Index i = 0; i < block_bytes; ++i) {
    sum += i >= 148 && i < 156 ? Index{' '} : static_cast<unsigned char>(block[i]);
  }
  return sum;
}

Index padded(Index size) { return (size + block_bytes - 1) / block_bytes * block_bytes; }

/// The "path" record of a pax header: lines "LENGTH KEY=VALUE\n".
std::string pax_path(std::string_view records) {
  while (!records.empty()) {
    Index length = 0;
    const char* last = records.data() + records.size();
    const auto [end, error] = std::from_chars(records.data(), last, length);
    const auto digits = static_cast<Index>(end - records.data());
    if (error != std::errc{} || length <= digits + 1 || length > records.size()) break;
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    if (record.substr(0, 5) == "path=") return std::string(record.substr(5));
    records.remove_prefix(length);
  }
  return "";
}

}  // namespace

bool TarReader::next(std::string& name, std::string& content) {
  std::string long_name;
  for (;;) {
    Block block{};
    const Index got = file_.read(block.data(), block_bytes);
    // An archive ends with blocks of zeros; some writers leave them out.
    if (got == 0 || std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; })) {
      require_end();
      return false;
    }
    const std::string place = join_parts(file_.path(), ": at byte ", offset_, ": ");
    require_data(got == block_bytes, place, "the archive ends inside a header");
    require_data(octal(block, 148, 8, place) == checksum(block), place,
                 "damaged tar header: wrong checksum");
    offset_ += block_bytes;
    const Index size = octal(block, 124, 12, place);
    const char type = block[156];
    if (type == '0' || type == '\0' || type == 'L' || type == 'x') {
      std::string data = read_data(size);
      if (type == 'L') {
        long_name = data.substr(0, data.find('\0'));
      } else if (type == 'x') {
        long_name = pax_path(data);
      } else {
        const std::string prefix(field(block, 345, 155));
        const std::string own(field(block, 0, 100));
        name = !long_name.empty() ? long_name : prefix.empty() ? own : join_parts(prefix, '/', own);
        content = std::move(data);
        return true;
      }
    } else {
      skip(size);
      long_name.clear();
    }
  }
}

std::string TarReader::read_data(Index size) {
  require_data(size <= longest_record_bytes, file_.path(), ": at byte ", offset_, ": a file of ",
               size, " bytes; at most ", longest_record_bytes, " are read");
  std::string data;
  // Step by step: a header may claim what the archive does not have.
  constexpr Index first_step = Index{1} << 16;
  Index got = 0;
  while (got == data.size() && got < padded(size)) {
    data.resize(std::min(padded(size), std::max(first_step, 2 * got)));
    got += file_.read(data.data() + got, data.size() - got);
  }
  require_data(got >= size, file_.path(), ": at byte ", offset_,
               ": the archive ends inside a file of ", size, " bytes");
  offset_ += got;
  data.resize(size);
  return data;
}

void TarReader::skip(Index size) {
  std::array<char, 1U << 14> unused{};
  for (Index left = padded(size); left > 0;) {
    const Index got = file_.read(unused.data(), std::min(left, unused.size()));
    require_data(got > 0, file_.path(), ": at byte ", offset_, ": the archive ends inside a file");
    left -= got;
    offset_ += got;
  }
}

/// A second archive behind the first would be lost without a word. Reading on also has the checksum
/// of a compressed archive compared.
void TarReader::require_end() {
  std::array<char, 1U << 14> rest{};
  while (const Index got = file_.read(rest.data(), rest.size())) {
    require_data(std::all_of(rest.begin(), rest.begin() + got, [](char c) { return c == '\0'; }),
                 file_.path(), ": something follows the end of the archive at byte ", offset_);
  }
}

}  // namespace bf
