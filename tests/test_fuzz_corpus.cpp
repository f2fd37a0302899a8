#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "tests/golden_folder.h"
#include "tests/memory_limit.h"

using namespace bf;

namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  void (*run)(std::string_view bytes);
};

constexpr Target targets[] = {{"checkpoint", fuzz::checkpoint},
                              {"clean", fuzz::clean},
                              {"config", fuzz::config},
                              {"csv", fuzz::csv},
                              {"gzip", fuzz::gzip},
                              {"jsonl", fuzz::jsonl},
                              {"lines", fuzz::lines},
                              {"model", fuzz::model},
                              {"packages", fuzz::packages},
                              {"predict", fuzz::predict},
                              {"report", fuzz::report},
                              {"safetensors", fuzz::safetensors},
                              {"study", fuzz::study},
                              {"summary", fuzz::summary},
                              {"tar", fuzz::tar},
                              {"tokenizer", fuzz::tokenizer}};

std::vector<fs::path> inputs_of(const std::string& target) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& file :
       fs::directory_iterator(fs::path(golden_folder) / "../fuzz/corpus" / target, none)) {
    files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string finding(const Target& target, const std::string& bytes) {
  try {
    target.run(bytes);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("fuzz: the kept inputs are read or refused as promised, and so is every part of them") {
  // As much as tests/fuzz.sh allows; tables of positions may have 256 MiB.
  const MemoryLimit limit(512);
  for (const Target& target : targets) {
    const std::vector<fs::path> files = inputs_of(target.name);
    CAPTURE(target.name);
    CHECK(files.size() >= 2);
    for (const fs::path& file : files) {
      CAPTURE(file.string());
      const std::string bytes = content(file);
      CHECK(finding(target, bytes) == "");
      // A file that was cut, and one with a byte changed.
      for (std::size_t part = 0; part < 8; ++part) {
        const std::size_t at = bytes.size() * part / 8;
        CHECK(finding(target, bytes.substr(0, at)) == "");
        std::string changed = bytes;
        if (at < changed.size()) changed[at] = static_cast<char>(changed[at] ^ 0x55);
        CHECK(finding(target, changed) == "");
      }
    }
  }
}

TEST_CASE("fuzz: an empty file is read or refused as promised") {
  for (const Target& target : targets) {
    CAPTURE(target.name);
    CHECK(finding(target, "") == "");
    CHECK(finding(target, std::string(1, '\0')) == "");
  }
}

TEST_CASE("fuzz: a broken promise is a finding") {
  using fuzz::refused_well;
  CHECK(refused_well("x", [] {}));
  CHECK_FALSE(refused_well("x", [] { throw std::runtime_error("x: y"); }));
  const auto broken = [](const std::string& text) {
    CHECK_THROWS_AS(refused_well("x", [&] { throw std::runtime_error(text); }), fuzz::Broken);
  };
  broken("");
  broken("y");
  broken("x\ny");
  broken("x\x1b[2J");
  broken("x\xff");
  broken("x" + std::string(2000, 'a'));
  CHECK_THROWS_AS(refused_well("", [] { throw std::logic_error("x"); }), std::logic_error);
  CHECK_THROWS_AS(fuzz::expect_clean("a\x07"), fuzz::Broken);
  CHECK_THROWS_AS(fuzz::expect_clean("a\u0090"), fuzz::Broken);
}
