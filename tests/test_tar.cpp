#include "train/tar.h"

#include <doctest/doctest.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/memory_limit.h"
#include "tests/tar_archive.h"
#include "tests/temp_folder.h"

using namespace bf;

namespace {

std::vector<std::string> members(const std::string& path) {
  TarReader tar(path);
  std::vector<std::string> found;
  for (std::string name, content; tar.next(name, content);) found.push_back(name + "=" + content);
  return found;
}

std::string failure(const std::string& path) {
  try {
    members(path);
  } catch (const std::runtime_error& error) {
    return std::string(error.what()).substr(path.size());
  }
  return "";
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("tar: regular files of every size, folders and links passed over") {
  const TempFolder folder;
  const std::string block(512, 'x');
  const std::string archive = tar_member("d/", "", '5') + tar_member("d/a", "one") +
                              tar_member("link", "", '2') + tar_member("d/empty", "") +
                              tar_member("d/b", block) + tar_member("c", block + "y", '\0') +
                              tar_end();
  const Names expected{"d/a=one", "d/empty=", "d/b=" + block, "c=" + block + "y"};
  CHECK(members(folder.write("a.tar", archive)) == expected);
  CHECK(members(folder.write_gz("a.tar.gz", archive)) == expected);
}

TEST_CASE("tar: long names by prefix, GNU and pax") {
  const TempFolder folder;
  const std::string lengthy = std::string(120, 'n') + "/f";
  const std::string record = " path=" + lengthy + "\n";
  const std::string pax = std::to_string(record.size() + 3) + record;
  CHECK(members(folder.write("a.tar", tar_member("f", "1", '0', "dir/sub"))) ==
        Names{"dir/sub/f=1"});
  CHECK(members(folder.write("a.tar", tar_member("././@LongLink", lengthy + '\0', 'L') +
                                          tar_member("nnn", "2") + tar_member("g", "3"))) ==
        Names{lengthy + "=2", "g=3"});
  CHECK(members(folder.write("a.tar", tar_member("pax", "12 mtime=12\n" + pax, 'x') +
                                          tar_member("nnn", "4") + tar_end())) ==
        Names{lengthy + "=4"});
}

TEST_CASE("tar: damage is an error with the byte where it is") {
  const TempFolder folder;
  const std::string good = tar_member("a", std::string(600, 'x')) + tar_member("b", "y");
  std::string damaged = good;
  damaged[1536] = 'z';
  CHECK(failure(folder.write("a.tar", damaged)) ==
        ": at byte 1536: damaged tar header: wrong checksum");
  CHECK(failure(folder.write("a.tar", good.substr(0, 700))) ==
        ": at byte 512: the archive ends inside a file of 600 bytes");
  CHECK(failure(folder.write("a.tar", good.substr(0, 1600))) ==
        ": at byte 1536: the archive ends inside a header");
  CHECK(failure(folder.write("a.tar", std::string(512, 'q'))) ==
        ": at byte 0: damaged tar header: not an octal number");
}

TEST_CASE("tar: cut inside a header or a file, an archive is an error") {
  const TempFolder folder;
  const std::string whole = tar_member("a", std::string(600, 'x')) + tar_member("b", "y");
  for (std::size_t length = 0; length < whole.size(); length += 64) {
    const std::string path = folder.write("a.tar", whole.substr(0, length));
    // Whole members: none, the first without or with its padding (600 + 512 bytes), both.
    const bool whole_members = length == 0 || (length >= 1112 && length <= 1536) || length > 2048;
    CHECK(failure(path).empty() == whole_members);
  }
}

TEST_CASE("tar: a huge member is refused before memory is taken") {
  const TempFolder folder;
  std::string huge = tar_member("a", "x");
  huge.replace(124, 11, "77777777777");
  std::size_t sum = 0;
  huge.replace(148, 8, std::string(8, ' '));
  for (std::size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(huge[i]);
  char text[16];
  std::snprintf(text, sizeof text, "%06zo", sum);
  huge.replace(148, 7, std::string(text) + '\0');
  const MemoryLimit limit(32);
  CHECK(failure(folder.write("a.tar", huge)) ==
        ": at byte 512: a file of 8589934591 bytes; at most 16777216 are read");
}

TEST_CASE("tar: what follows the end of an archive is not left out") {
  const TempFolder folder;
  const std::string one = tar_member("a", "1") + tar_end();
  CHECK(members(folder.write("a.tar", one + std::string(9000, '\0'))) == Names{"a=1"});
  CHECK(failure(folder.write("a.tar", one + tar_member("b", "2") + tar_end())) ==
        ": something follows the end of the archive at byte 1024");
}

TEST_CASE("tar: the checksum behind the end of a compressed archive is compared") {
  const TempFolder folder;
  const std::string path = folder.write_gz("a.tar.gz", tar_member("a", "1") + tar_end());
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-8, std::ios::end);
  file.write("xxxx", 4);
  file.close();
  CHECK(failure(path) == ": cannot read: incorrect data check");
}
