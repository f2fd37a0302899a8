#include "train/input_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/temp_folder.h"
#include "tests/values.h"

using namespace bf;

namespace {

std::string failure(const std::string& path, Index limit = longest_record_bytes) {
  try {
    read_whole_file(path, limit);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("input_file: plain and gzip files give the same bytes") {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i) + '\n';
  CHECK(read_whole_file(folder.write("a.txt", text)) == text);
  CHECK(read_whole_file(folder.write_gz("a.txt.gz", text)) == text);
  CHECK(read_whole_file(folder.write("empty", "")) == "");
  CHECK(read_whole_file(folder.write_gz("empty.gz", "")) == "");
}

TEST_CASE("input_file: a missing file and a folder are named") {
  const TempFolder folder;
  CHECK(failure(folder.path("none")) ==
        folder.path("none") + ": cannot open: No such file or directory");
  CHECK(failure(folder.path()) == folder.path() + ": is a folder, not a file");
}

TEST_CASE("input_file: gzip cut at any byte is an error, whatever the steps of reading") {
  const TempFolder folder;
  // A byte of the file stands for a thousand of the text: much is still to come at the cut.
  const std::string whole = bytes_of(folder.write_gz("a.gz", std::string(250'000, '0')));
  Index complete = 0;
  for (Index length = 18; length < whole.size(); ++length) {
    const std::string path = folder.write("b.gz", whole.substr(0, length));
    for (const Index step : {Index{100}, Index{4096}, Index{65536}}) {
      InputFile file(path);
      std::string bytes(step, ' ');
      try {
        while (file.read(bytes.data(), step) == step) {
        }
        ++complete;
      } catch (const std::runtime_error&) {
      }
    }
  }
  CHECK(complete == 0);
}

TEST_CASE("input_file: .gz that is no gzip, or damaged or cut gzip, is an error with the name") {
  const TempFolder folder;
  CHECK(failure(folder.write("a.gz", "plain text")) == folder.path("a.gz") + ": not a gzip file");
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919);
  const std::string whole = bytes_of(folder.write_gz("b.gz", text));
  const std::string cut = folder.write("b.gz", whole.substr(0, whole.size() / 2));
  CHECK(failure(cut) == cut + ": cannot read: the compressed data ends too early");
  std::string damaged = whole;
  damaged[whole.size() - 6] = static_cast<char>(damaged[whole.size() - 6] ^ 0x55);
  const std::string path = folder.write("c.gz", damaged);
  CHECK(failure(path).find(path + ": cannot read: ") == 0);
}

TEST_CASE("input_file: several gzip members are one file, with zeros behind and between them") {
  const TempFolder folder;
  const std::string a = bytes_of(folder.write_gz("a.gz", "one\n"));
  const std::string b = bytes_of(folder.write_gz("b.gz", "two\n"));
  const std::string none = bytes_of(folder.write_gz("none.gz", "")), zeros(70'000, '\0');
  CHECK(read_whole_file(folder.write("c.gz", a + b)) == "one\ntwo\n");
  CHECK(read_whole_file(folder.write("c.gz", a + none + none + b + none)) == "one\ntwo\n");
  CHECK(read_whole_file(folder.write("c.gz", a + '\0')) == "one\n");
  CHECK(read_whole_file(folder.write("c.gz", a + zeros)) == "one\n");
  CHECK(read_whole_file(folder.write("c.gz", a + zeros + b + zeros)) == "one\ntwo\n");
}

TEST_CASE("input_file: what is not gzip behind gzip data is an error and not left out") {
  const TempFolder folder;
  const std::string a = bytes_of(folder.write_gz("a.gz", "one\n"));
  const std::string b = bytes_of(folder.write_gz("b.gz", "two\n"));
  const std::string at = std::to_string(a.size());
  const auto refused = [&](const std::string& bytes) {
    return failure(folder.write("c.gz", bytes)).substr(folder.path("c.gz").size());
  };
  const std::string neither = ", behind gzip data, is neither more of it nor padding";
  CHECK(refused(a + "two\n") == ": cannot read: at byte " + at + neither);
  CHECK(refused(a + "\n") == ": cannot read: at byte " + at + neither);
  CHECK(refused(a + std::string(3, '\0') + "x") ==
        ": cannot read: at byte " + std::to_string(a.size() + 3) + neither);
  std::string damaged = b;
  damaged[0] = ' ';
  CHECK(refused(a + damaged) == ": cannot read: at byte " + at + neither);
  damaged = b;
  damaged[1] = ' ';
  CHECK(refused(a + damaged) == ": cannot read: incorrect header check");
  for (Index length = 1; length < b.size(); ++length) {
    CHECK(refused(a + b.substr(0, length)) == ": cannot read: the compressed data ends too early");
  }
  // Plain text before gzip data is text.
  CHECK(read_whole_file(folder.write("d", "x" + a)) == "x" + a);
}

TEST_CASE("input_file: gzip data may grow by 64 MiB and a hundredfold, not by more") {
  const TempFolder folder;
  const std::string zeros(most_gunzipped(0), '\0');
  std::string buffer(1 << 20, ' ');
  const auto read = [&](const std::string& path) {
    InputFile file(path);
    Index total = 0;
    try {
      while (const Index got = file.read(buffer.data(), buffer.size())) total += got;
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::to_string(total);
  };
  CHECK(read(folder.write_gz("a.gz", zeros)) == std::to_string(zeros.size()));
  const std::string member = bytes_of(folder.path("a.gz"));
  REQUIRE(100 * member.size() < zeros.size());
  const std::string error = read(folder.write("b.gz", member + member));
  CHECK(error.starts_with(folder.path("b.gz") + ": its first "));
  CHECK(error.find(" bytes gunzip to more than ") != error.npos);
  CHECK(error.ends_with(" bytes: not read"));
  // Plain files are not limited so.
  CHECK(read(folder.write("c", zeros)) == std::to_string(zeros.size()));
}

TEST_CASE("input_file: a file over the limit is refused") {
  const TempFolder folder;
  const std::string path = folder.write("a", "12345");
  CHECK(failure(path, 5) == "");
  CHECK(failure(path, 4) == path + ": longer than 4 bytes");
}

TEST_CASE("input_file: a file is found as it is or compressed") {
  const TempFolder folder;
  folder.write("train.csv.gz", "");
  folder.write("test.csv", "");
  CHECK(find_file(folder.path(), {"train.csv"}) == folder.path("train.csv.gz"));
  CHECK(find_file(folder.path(), {"none", "test.csv"}) == folder.path("test.csv"));
  CHECK(find_file(folder.path(), {"none"}) == "");
  std::filesystem::create_directory(folder.path("folder"));
  CHECK(find_file(folder.path(), {"folder"}) == "");
}

TEST_CASE("input_file: whether a file is there can be unknown, and a link to nothing is") {
  const TempFolder folder;
  CHECK_FALSE(is_there(folder.path("a")));
  std::filesystem::create_symlink("nothing", folder.path("a"));
  CHECK(is_there(folder.path("a")));
  CHECK(find_file(folder.path(), {"a"}) == folder.path("a"));
  const std::string name(300, 'x'), rule = ": cannot be looked at: File name too long";
  CHECK(error_text<std::runtime_error>([&] { is_there(name); }) == name + rule);
  CHECK(error_text<std::runtime_error>([&] { find_file(folder.path(), {name}); }) ==
        folder.path(name) + rule);
}

TEST_CASE("input_file: a pipe and a device are refused, and nothing waits for them") {
  const TempFolder folder;
  const std::string pipe = folder.path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(failure(pipe) == pipe + ": is not a regular file");
  CHECK(failure("/dev/zero") == "/dev/zero: is not a regular file");
}

TEST_CASE("input_file: a link to itself is an error, one to a file is read") {
  const TempFolder folder;
  std::filesystem::create_symlink("loop", folder.path("loop"));
  CHECK(failure(folder.path("loop")) ==
        folder.path("loop") + ": cannot open: Too many levels of symbolic links");
  folder.write("text", "x");
  std::filesystem::create_symlink("text", folder.path("link"));
  CHECK(read_whole_file(folder.path("link")) == "x");
}
