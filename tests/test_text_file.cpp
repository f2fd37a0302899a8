#include "train/text_file.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/require.h"
#include "tests/temp_folder.h"
#include "tests/values.h"

using namespace bf;

namespace {

std::vector<std::string> lines_of(const std::string& path, Encoding encoding = Encoding::utf8) {
  TextFile file(path, encoding);
  std::vector<std::string> lines;
  for (std::string line; file.line(line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("text_file: LF, CR LF and a last line without a break") {
  const TempFolder folder;
  using Lines = std::vector<std::string>;
  CHECK(lines_of(folder.write("a", "one\r\n\ntwo\nthree")) == Lines{"one", "", "two", "three"});
  CHECK(lines_of(folder.write("a", "one\n")) == Lines{"one"});
  CHECK(lines_of(folder.write("a", "")) == Lines{});
  CHECK(lines_of(folder.write_gz("a.gz", "one\ntwo\n")) == Lines{"one", "two"});
}

TEST_CASE("text_file: lines longer than the buffer arrive whole, with their number") {
  const TempFolder folder;
  const std::string lengthy(200000, 'x');
  TextFile file(folder.write("a", "a\n" + lengthy + "\nb\n"), Encoding::utf8);
  std::string line;
  CHECK(file.line(line));
  CHECK(file.line(line));
  CHECK(line == lengthy);
  CHECK(file.line_number() == 2);
  CHECK(file.line(line));
  CHECK(file.place() == folder.path("a") + ":3");
  CHECK_FALSE(file.line(line));
}

TEST_CASE("text_file: a byte order mark is no part of the text") {
  const TempFolder folder;
  CHECK(lines_of(folder.write("a", "\xef\xbb\xbfone\n"))[0] == "one");
}

TEST_CASE("text_file: invalid UTF-8 is reported with line and column, and reading goes on") {
  const TempFolder folder;
  TextFile file(folder.write("a", "good\ncaf\xe9\ngood\n"), Encoding::utf8);
  std::string line;
  CHECK(file.line(line));
  CHECK(file.problem() == "");
  CHECK(file.line(line));
  CHECK(file.problem() ==
        folder.path("a") + ":2: invalid UTF-8 byte 0xe9 at column 4; pass --encoding");
  CHECK(file.line(line));
  CHECK(file.problem() == "");
  CHECK(lines_of(folder.path("a"), Encoding::latin1)[1] == "café");
}

TEST_CASE("text_file: a line without end is refused") {
  const TempFolder folder;
  TextFile file(folder.write("a", "x\n" + std::string((Index{16} << 20) + 1, 'x')), Encoding::utf8);
  std::string line;
  CHECK(file.line(line));
  CHECK_THROWS_WITH_AS(file.line(line),
                       (folder.path("a") + ":2: line longer than 16777216 bytes").c_str(),
                       std::runtime_error);
}

TEST_CASE("text_file: a last line without a break is told from one with") {
  const TempFolder folder;
  TextFile file(folder.write("a", "one\ntwo"), Encoding::utf8);
  std::string line;
  REQUIRE(file.line(line));
  CHECK(file.ended());
  REQUIRE(file.line(line));
  CHECK(line == "two");
  CHECK_FALSE(file.ended());
}

TEST_CASE("text_file: gzip data has no more lines than a million and one for each of its bytes") {
  const TempFolder folder;
  const std::string path = folder.write_gz("a", std::string(1'200'000, '\n'));
  const Index bytes = std::filesystem::file_size(path), most = 1'000'000 + bytes;
  REQUIRE(bytes < 100'000);
  TextFile file(path, Encoding::utf8);
  std::string line;
  Index lines = 0;
  const std::string error = error_text<std::runtime_error>([&] {
    while (file.line(line)) ++lines;
  });
  CHECK(lines == most);
  CHECK(error ==
        join_parts(path, ": its ", bytes, " bytes gunzip to more than ", most, " lines: not read"));
  CHECK(lines_of(folder.write("b", std::string(1'200'000, '\n'))).size() == 1'200'000);
}
