#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "nn/atomic_file.h"
#include "tests/file_size_limit.h"
#include "tests/sync_hook.h"
#include "tests/temp_folder.h"
#include "tests/values.h"

using namespace bf;
namespace fs = std::filesystem;

namespace {

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Index files_in(const std::string& folder) {
  const fs::directory_iterator files(folder);
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

TEST_CASE("atomic_file: what is there and is not a file is refused and stays") {
  const TempFolder folder;
  const std::string inner = folder.path("inner"), pipe = folder.path("pipe");
  const std::string link = folder.path("link"), device = folder.path("device");
  fs::create_directory(inner);
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  fs::create_symlink(pipe, link);
  fs::create_symlink("/dev/null", device);
  for (const std::string& path : {inner, pipe, link, device}) {
    const std::string text = error_text<std::runtime_error>([&] { AtomicFile(path).commit(); });
    CHECK(text == "save: \"" + path + "\": is not a regular file");
  }
  CHECK(fs::is_fifo(pipe));
  CHECK(fs::is_symlink(link));
  CHECK(fs::is_symlink(device));
  CHECK(files_in(folder.path()) == 4);
}

TEST_CASE("atomic_file: a link stays, and the file that it names is replaced in its folder") {
  const TempFolder folder;
  const std::string target = folder.write("elsewhere/file", "old");
  const std::string link = folder.path("link"), nowhere = folder.path("nowhere");
  fs::create_symlink("elsewhere/file", link);
  fs::create_symlink("gone", nowhere);
  write_whole_file(link, "new");
  CHECK(fs::is_symlink(link));
  CHECK(content(target) == "new");
  CHECK(error_text<std::runtime_error>([&] { AtomicFile file(nowhere); }) ==
        "save: \"" + nowhere + "\": cannot follow the link: No such file or directory");
  CHECK(fs::is_symlink(nowhere));
  CHECK(files_in(folder.path()) == 3);
  CHECK(files_in(folder.path("elsewhere")) == 1);
}

TEST_CASE("atomic_file: the text is on the disk before the name, and the name before commit ends") {
  const TempFolder folder;
  const std::string path = folder.write("file", "old");
  std::vector<std::string> synced;
  {
    const SyncHook hook([&](const std::string& what) {
      synced.push_back(what);
      CHECK(content(path) == (synced.size() == 1 ? "old" : "new"));
      return 0;
    });
    write_whole_file(path, "new");
  }
  const std::string real = fs::canonical(folder.path());
  CHECK(synced == std::vector<std::string>{real + "/file.tmp0", real});
}

TEST_CASE("atomic_file: a disk that fails is reported, for the file and for its folder") {
  const TempFolder folder;
  const std::string path = folder.write("file", "old");
  for (const bool whole_file : {true, false}) {
    CAPTURE(whole_file);
    const SyncHook hook([&](const std::string& what) {
      return what.ends_with("file.tmp0") == whole_file ? EIO : 0;
    });
    CHECK(error_text<std::runtime_error>([&] { write_whole_file(path, "new"); }) ==
          "save: \"" + (whole_file ? path : folder.path()) + "\": cannot sync: Input/output error");
    CHECK(content(path) == (whole_file ? "old" : "new"));
    CHECK(files_in(folder.path()) == 1);
  }
  // Some file systems cannot sync a folder at all.
  const SyncHook hook([&](const std::string& what) { return fs::is_directory(what) ? EINVAL : 0; });
  CHECK_NOTHROW(write_whole_file(path, "new"));
}

TEST_CASE("atomic_file: of new folders every name is synced, in the folder above") {
  const TempFolder folder;
  const std::string real = fs::canonical(folder.path());
  std::vector<std::string> synced;
  {
    const SyncHook hook([&](const std::string& what) {
      synced.push_back(what);
      return 0;
    });
    make_folders(folder.path("a/b/c/"));
    CHECK(fs::is_directory(folder.path("a/b/c")));
    CHECK(synced == std::vector<std::string>{real + "/a/b", real + "/a", real});
    synced.clear();
    make_folders(folder.path("a/b"));
    CHECK(synced.empty());
  }
  const std::string under = folder.write("file", "") + "/run";
  CHECK(error_text<std::runtime_error>([&] { make_folders(under); }) ==
        under + ": cannot make the folder: Not a directory");
}

TEST_CASE("atomic_file: sync_path takes files and folders, and names what is not there") {
  const TempFolder folder;
  CHECK_NOTHROW(sync_path(folder.path()));
  CHECK_NOTHROW(sync_path(folder.write("file", "text")));
  CHECK(error_text<std::runtime_error>([] { sync_path("/no/such/file"); }) ==
        "save: \"/no/such/file\": cannot open: No such file or directory");
}

TEST_CASE("nn atomic_file: the name of an unfinished file") {
  CHECK(name_of_unfinished("a.json.tmp0") == "a.json");
  CHECK(name_of_unfinished("a.tmp1.tmp23") == "a.tmp1");
  for (const char* other : {"a.json", "a.tmp", "a.tmpx", "a.tmp1x", "", "a.tmp1.json"}) {
    CHECK(name_of_unfinished(other) == "");
  }
}
