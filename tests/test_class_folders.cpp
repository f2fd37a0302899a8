#include "train/class_folders.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/tar_archive.h"
#include "tests/temp_folder.h"

using namespace bf;

namespace {

std::vector<std::string> read(const std::string& path, const std::vector<std::string>& classes,
                              Encoding encoding = Encoding::utf8) {
  ClassFolders folders(path, classes, encoding);
  std::vector<std::string> rows;
  for (Row row; folders.next(row);) rows.push_back(row.label + "=" + row.text);
  return rows;
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("class_folders: a tree and an archive give the same rows, by class and name") {
  const TempFolder folder;
  std::string archive;
  for (const char* name : {"pos/2_9.txt", "neg/0_1.txt", "pos/1_8.txt", "unsup/0_0.txt"}) {
    folder.write(std::string("train/") + name, name);
    archive += tar_member(std::string("aclImdb/train/") + name, name);
  }
  folder.write("train/urls_pos.txt", "http");
  archive += tar_member("aclImdb/train/urls_pos.txt", "http") + tar_end();
  const std::string packed = folder.write_gz("train.tar.gz", archive);
  const Rows expected{"neg=neg/0_1.txt", "pos=pos/1_8.txt", "pos=pos/2_9.txt"};
  CHECK(read(folder.path("train"), {"neg", "pos"}) == expected);
  CHECK(read(packed, {"neg", "pos"}) == expected);
  CHECK(read(folder.path("train"), {}).size() == 4);
}

TEST_CASE("class_folders: a text that is not UTF-8 is a bad row with file, line and column") {
  const TempFolder folder;
  const std::string bad = folder.write("set/a/1", "one\ntwo\ncaf\xe9 au lait\n");
  folder.write("set/b/2", "good");
  ClassFolders folders(folder.path("set"), {}, Encoding::utf8);
  Row row;
  CHECK_THROWS_WITH_AS(folders.next(row),
                       (bad + ":3: invalid UTF-8 byte 0xe9 at column 4; pass --encoding").c_str(),
                       BadRow);
  CHECK(folders.next(row));
  CHECK(row.text == "good");
  CHECK(folders.place() == folder.path("set/b/2"));
  CHECK(read(folder.path("set"), {}, Encoding::latin1)[0] == "a=one\ntwo\ncafé au lait\n");
}

TEST_CASE("class_folders: nothing to read is an error") {
  const TempFolder folder;
  CHECK_THROWS_WITH_AS(ClassFolders(folder.path(), {}, Encoding::utf8),
                       (folder.path() + ": no texts in class folders here").c_str(),
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(ClassFolders(folder.path("none"), {}, Encoding::utf8),
                       (folder.path("none") + ": cannot open: No such file or directory").c_str(),
                       std::runtime_error);
}

TEST_CASE("class_folders: links to themselves are passed over") {
  const TempFolder folder;
  folder.write("pos/a", "text");
  std::filesystem::create_symlink("loop", folder.path("loop"));
  std::filesystem::create_symlink("b", folder.path("pos/b"));
  ClassFolders rows(folder.path(), {}, Encoding::utf8);
  Row row;
  CHECK(rows.next(row));
  CHECK(row.text == "text");
  CHECK_FALSE(rows.next(row));
}

TEST_CASE("class_folders: a class whose name is not UTF-8 is a bad row") {
  const TempFolder folder;
  const std::string archive =
      folder.write("a.tar", tar_member("caf\xe9\x1b/1", "text") + tar_end());
  ClassFolders rows(archive, {}, Encoding::latin1);
  Row row;
  CHECK_THROWS_WITH_AS(rows.next(row),
                       (archive + ": caf? /1: the name of the class is not UTF-8").c_str(), BadRow);
}

TEST_CASE("class_folders: a message shows the beginning of a member's long name") {
  const TempFolder folder;
  const std::string name = "class/" + std::string(400, 'x');
  const std::string archive = folder.write("a.tar", tar_member("././@LongLink", name + '\0', 'L') +
                                                        tar_member("short", "text") + tar_end());
  ClassFolders rows(archive, {}, Encoding::utf8);
  CHECK(rows.place() == archive + ": class/" + std::string(294, 'x') + "...");
}
