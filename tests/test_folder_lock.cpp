#include "train/folder_lock.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/temp_folder.h"
#include "tests/values.h"

using namespace bf;

TEST_CASE("folder_lock: one at a time, and the other is told who") {
  const TempFolder folder;
  {
    const FolderLock lock(folder.path());
    CHECK(error_text<std::runtime_error>([&] { FolderLock second(folder.path()); }) ==
          folder.path() + ": is in use by process " + std::to_string(getpid()));
  }
  CHECK_FALSE(std::filesystem::exists(folder.path("lock")));
  CHECK_NOTHROW(FolderLock{folder.path()});
}

TEST_CASE("folder_lock: a killed process holds nothing, though its file is still there") {
  const TempFolder folder;
  int ready[2] = {-1, -1};
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder.path());
    if (write(ready[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  CHECK(error_text<std::runtime_error>([&] { FolderLock second(folder.path()); }) ==
        folder.path() + ": is in use by process " + std::to_string(child));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]), close(ready[1]);
  CHECK(std::filesystem::exists(folder.path("lock")));
  CHECK_NOTHROW(FolderLock{folder.path()});
}

TEST_CASE("folder_lock: a link is not followed, and what is not a file stays") {
  const TempFolder folder;
  const std::string other = folder.write("other", "of the user"), lock = folder.path("lock");
  const auto error = [&] {
    return error_text<std::runtime_error>([&] { FolderLock refused(folder.path()); });
  };
  std::filesystem::create_symlink("other", lock);
  CHECK(error() == lock + ": cannot write: Too many levels of symbolic links");
  CHECK(std::filesystem::is_symlink(lock));
  CHECK(std::filesystem::file_size(other) == 11);
  std::filesystem::remove(lock);
  REQUIRE(mkfifo(lock.c_str(), 0600) == 0);
  CHECK(error() == lock + ": is not a regular file");
  CHECK(std::filesystem::is_fifo(lock));
}

TEST_CASE("folder_lock: a folder that is not there is named") {
  CHECK(error_text<std::runtime_error>([] { FolderLock lock("/no/such/folder"); }) ==
        "/no/such/folder/lock: cannot write: No such file or directory");
}

TEST_CASE("folder_lock: a file that is not the lock of a run stays as it is") {
  const TempFolder folder;
  const std::string lock = folder.path("lock");
  for (const std::string text : {"poetry", "12\nx", "11111111111111111111111111111111111"}) {
    folder.write("lock", text);
    CHECK(error_text<std::runtime_error>([&] { FolderLock refused(folder.path()); }) ==
          lock + ": is in the way: it is not the lock of a run");
    CHECK(std::filesystem::file_size(lock) == text.size());
  }
  for (const char* text : {"", "12", "4711\n"}) {
    folder.write("lock", text);
    CHECK_NOTHROW(FolderLock{folder.path()});
  }
}
