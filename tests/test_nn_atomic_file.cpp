#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "nn/atomic_file.h"
#include "tests/file_size_limit.h"
#include "tests/temp_folder.h"
#include "tests/values.h"

using namespace bf;

namespace {

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Index files_in(const std::string& folder) {
  const std::filesystem::directory_iterator files(folder);
  return static_cast<Index>(std::distance(begin(files), end(files)));
}

}  // namespace

TEST_CASE("atomic_file: the name appears with commit, complete, and replaces what was there") {
  const TempFolder folder;
  const std::string path = folder.write("file", "old");
  {
    AtomicFile file(path);
    file.write("new ");
    file.write("text");
    CHECK(content(path) == "old");
    file.commit();
  }
  CHECK(content(path) == "new text");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("atomic_file: without commit nothing is left and the earlier file stays") {
  const TempFolder folder;
  const std::string path = folder.write("file", "old");
  { AtomicFile(path).write("half"); }
  CHECK(content(path) == "old");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE(
    "atomic_file: two writers and the left-over of a killed one do not share a temporary name") {
  const TempFolder folder;
  folder.write("file.tmp0", "left over");
  const std::string path = folder.path("file");
  AtomicFile a(path), b(path);
  a.write("a");
  b.write("bb");
  b.commit();
  a.commit();
  CHECK(content(path) == "a");
  CHECK(content(folder.path("file.tmp0")) == "left over");
  CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("atomic_file: a folder that does not exist is named") {
  const std::string text = error_text<std::runtime_error>([] { AtomicFile("/no/such/file"); });
  CHECK(text == "save: \"/no/such/file\": cannot create: No such file or directory");
}

TEST_CASE("atomic_file: a full disk is reported and leaves the earlier file") {
  const TempFolder folder;
  const std::string path = folder.write("file", "old");
  std::string text;
  {
    const FileSizeLimit limit(4096);
    text = error_text<std::runtime_error>([&] {
      AtomicFile file(path);
      file.write(std::string(10000, 'x'));
      file.commit();
    });
  }
  CHECK(text == "save: \"" + path + "\": cannot write: File too large");
  CHECK(content(path) == "old");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("atomic_file: a name that is a folder is refused and nothing is left") {
  const TempFolder folder;
  const std::string path = folder.path("inner");
  std::filesystem::create_directory(path);
  const std::string text = error_text<std::runtime_error>([&] { AtomicFile(path).commit(); });
  CHECK(text == "save: \"" + path + "\": cannot rename: Is a directory");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("atomic_file: sync_path takes files and folders, and names what is not there") {
  const TempFolder folder;
  CHECK_NOTHROW(sync_path(folder.path()));
  CHECK_NOTHROW(sync_path(folder.write("file", "text")));
  CHECK(error_text<std::runtime_error>([] { sync_path("/no/such/file"); }) ==
        "save: \"/no/such/file\": cannot open: No such file or directory");
}
