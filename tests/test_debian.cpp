#include "train/debian.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/temp_folder.h"
#include "tests/values.h"

using namespace bf;

namespace {

std::vector<PackageEntry> parse(const std::string& text) {
  std::istringstream lines(text);
  return parse_packages(
      [&lines](std::string& line) { return static_cast<bool>(std::getline(lines, line)); });
}

std::string stanza(const std::string& name, const std::string& section,
                   const std::string& description) {
  return "Package: " + name + "\nDescription: " + description +
         "\n more text\nSection: " + section + "\n\n";
}

/// 25 sections; section i has 10 + i packages.
std::string index_of_25() {
  std::string text;
  for (int section = 0; section < 25; ++section) {
    for (int i = 0; i < 10 + section; ++i) {
      const std::string name = std::to_string(section) + "-" + std::to_string(i);
      text += stanza(name, "section" + std::to_string(section), "tool number " + name);
    }
  }
  return text;
}

/// Puts a script in the place of apt-cache, as long as it lives.
class FakeAptCache {
 public:
  explicit FakeAptCache(const std::string& commands) : before_(std::getenv("PATH")) {
    namespace fs = std::filesystem;
    const std::string path = folder_.write("apt-cache", "#!/bin/sh\n" + commands);
    fs::permissions(path, fs::perms::owner_all);
    setenv("PATH", (folder_.path() + ":" + before_).c_str(), 1);
  }
  ~FakeAptCache() { setenv("PATH", before_.c_str(), 1); }
  FakeAptCache(const FakeAptCache&) = delete;
  FakeAptCache& operator=(const FakeAptCache&) = delete;

 private:
  TempFolder folder_;
  std::string before_;
};

std::string failure(const DatasetOptions& options) {
  return error_text<std::runtime_error>([&] { debian_dataset(options); });
}

}  // namespace

TEST_CASE("debian: descriptions and sections of the stanzas, without component") {
  const auto packages = parse(
      "Package: a\nDescription: First tool\n and its story\nTag: x,\n y\nSection: games\n\n"
      "Package: b\nSection: contrib/net\nDescription-en: Second tool\nDescription-md5: 12\n\n\n"
      "Package: c\nSection: libs\n\n"
      "Package: d\nDescription: No section\n\n"
      "Package: e\nSection: non-free/x11\nDescription: Last, without an empty line");
  REQUIRE(packages.size() == 3);
  CHECK(packages[0].description == "First tool");
  CHECK(packages[0].section == "games");
  CHECK(packages[1].description == "Second tool");
  CHECK(packages[1].section == "net");
  CHECK(packages[2].section == "x11");
}

TEST_CASE("debian: the 20 largest sections, each description once, parted into splits") {
  const TempFolder folder;
  DatasetOptions options;
  options.data_dir = folder.write_gz(
      "Packages.gz", index_of_25() + stanza("copy", "section24", "tool number 24-0"));
  const Dataset data = debian_dataset(options);
  CHECK(data.class_names.size() == 20);
  CHECK(data.class_names[0] == "section10");
  // Sections 5 to 24 with 15 to 34 packages each: 490.
  CHECK(data.train.size() + data.validation.size() + data.test.size() == 490);
  CHECK(data.test.size() == 49);
  CHECK(data.validation.size() == 49);
  CHECK(data.notes[0] ==
        "551 packages with 550 distinct descriptions, 490 of them in the 20 largest sections");
  for (const Example& example : data.test) {
    const std::string name = "section" + example.text.substr(12, example.text.find('-') - 12);
    CHECK(data.class_names[static_cast<Index>(example.label)] == name);
  }
}

TEST_CASE("debian: the splits follow the seed, not the order of the index") {
  const TempFolder folder;
  const std::string first = stanza("z", "section24", "a first tool");
  DatasetOptions options;
  options.data_dir = folder.write("Packages", first + index_of_25());
  const Dataset a = debian_dataset(options);
  options.data_dir = folder.write("other/Packages", index_of_25() + first);
  const Dataset b = debian_dataset(options);
  REQUIRE(a.test.size() == b.test.size());
  for (Index i = 0; i < a.test.size(); ++i) CHECK(a.test[i].text == b.test[i].text);
}

TEST_CASE("debian: no index and no packages are errors") {
  const TempFolder folder;
  DatasetOptions options;
  options.data_dir = folder.path();
  CHECK_THROWS_WITH_AS(debian_dataset(options),
                       (folder.path() + ": debian expects Packages here (plain or .gz)").c_str(),
                       std::runtime_error);
  options.data_dir = folder.write("Packages", "");
  CHECK_THROWS_WITH_AS(debian_dataset(options),
                       (folder.path("Packages") +
                        ": no packages with a description and a section; is there a package index?")
                           .c_str(),
                       std::runtime_error);
}

TEST_CASE("debian: an apt-cache that fails gives no data set, also when it gave a part") {
  const TempFolder folder;
  const std::string index = folder.write("index", index_of_25());
  const std::string all = "cat " + index + "\n";
  {
    const FakeAptCache apt(all);
    CHECK(debian_dataset({}).class_names.size() == 20);
  }
  const auto refused = [](const std::string& commands) {
    const FakeAptCache apt(commands);
    return failure({});
  };
  CHECK(refused(all + "exit 100\n") == "debian: apt-cache failed with exit code 100");
  CHECK(refused(all + "kill -9 $$\n") == "debian: apt-cache was ended by signal 9");
  CHECK(refused("exit 127\n") == "debian: apt-cache is not installed; pass --data-dir");
  CHECK(refused("exit 0\n") ==
        "debian: apt-cache dumpavail: no packages with a description and a section; is there a "
        "package index?");
}

TEST_CASE("debian: a line of apt-cache has at most 16 MiB") {
  const FakeAptCache apt("head -c 16777217 /dev/zero\n");
  CHECK(failure({}) == "debian: apt-cache: line longer than 16777216 bytes");
}

TEST_CASE("debian: a section has a name of at most 1,000 bytes") {
  const TempFolder folder;
  DatasetOptions options;
  const std::string name(1000, 's');
  options.data_dir = folder.write("Packages", index_of_25() + stanza("a", name, "x"));
  CHECK(failure(options) == "");  // it is not among the largest
  std::string text;
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    text += stanza(number, i % 2 == 0 ? name : "other", "tool " + number);
  }
  options.data_dir = folder.write("Packages", text);
  CHECK(failure(options) == "");
  options.data_dir = folder.write("Packages", text + stanza("a", name + 's', "x"));
  CHECK(failure(options) == folder.path("Packages") + ": the section \"" + std::string(60, 's') +
                                "...\" has a name of more than 1000 bytes");
}
