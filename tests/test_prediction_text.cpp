#include "experiments/prediction_text.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "tests/temp_folder.h"

using namespace bf;

namespace {

Prediction prediction() {
  Prediction made;
  made.label = 1;
  made.probability = 0.75;
  made.probabilities = {0.25, 0.75};
  made.budgets = {0.25, 0.5};
  made.heads = {2, 4};
  made.tokens = 7;
  return made;
}

}  // namespace

TEST_CASE("prediction_text: label, probability, s and heads, separated by tabs") {
  CHECK(prediction_line(prediction(), {"no", "yes"}) == "yes\t0.7500\t0.3750\t2 4");
  Prediction dense = prediction();
  dense.budgets.clear();
  CHECK(prediction_line(dense, {"no", "yes"}) == "yes\t0.7500\t1.0000\t2 4");
}

TEST_CASE("prediction_text: control characters of a class name never reach the terminal") {
  CHECK(prediction_line(prediction(), {"no", "a\x1b[31m\tb\u009b"}) ==
        "a [31m b \t0.7500\t0.3750\t2 4");
}

TEST_CASE("prediction_text: the JSON holds every probability and escapes what it must") {
  const nlohmann::json json = prediction_json(prediction(), {"no", "a\x1b"});
  CHECK(json["probabilities"]["no"] == 0.25);
  CHECK(json["s"].size() == 2);
  CHECK(json["empty"] == false);
  CHECK(json.dump().find('\x1b') == std::string::npos);
}

TEST_CASE("prediction_text: lines and JSON lines are read") {
  CHECK(read_input("a text", 1, false).text == "a text");
  CHECK(read_input("", 1, false).text.empty());
  const InputText pair = read_input(R"({"text": "a", "second": "b"})", 1, true);
  CHECK(pair.text == "a");
  CHECK(pair.second == "b");
  CHECK(read_input(R"({"text": "a"})", 1, true).second.empty());
}

TEST_CASE("prediction_text: a line that cannot be read is named") {
  CHECK_THROWS_WITH_AS(read_input("ab\xff", 3, false), "stdin:3: invalid UTF-8 at byte 3",
                       std::runtime_error);
  for (const char* line : {"", "text", "[]", R"({"second": "b"})"}) {
    CHECK_THROWS_WITH_AS(read_input(line, 4, true), "stdin:4: expected a JSON object with \"text\"",
                         std::runtime_error);
  }
  CHECK_THROWS_WITH_AS(read_input(R"({"text": 5})", 5, true), "stdin:5: \"text\" is not a text",
                       std::runtime_error);
}

namespace {

/// A file, open for reading.
class File {
 public:
  explicit File(const std::string& path) : file_(std::fopen(path.c_str(), "r")) {
    REQUIRE(file_ != nullptr);
  }
  ~File() { std::fclose(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::FILE* get() const { return file_; }

 private:
  std::FILE* file_;
};

}  // namespace

TEST_CASE("prediction_text: lines come one by one, the last one also without its break") {
  const TempFolder folder;
  const File in(folder.write("in", "one\n\ntwo"));
  std::string line;
  CHECK(next_line(in.get(), line, 1));
  CHECK(line == "one");
  CHECK(next_line(in.get(), line, 2));
  CHECK(line.empty());
  CHECK(next_line(in.get(), line, 3));
  CHECK(line == "two");
  CHECK_FALSE(next_line(in.get(), line, 4));
}

TEST_CASE("prediction_text: a line without end is refused") {
  const TempFolder folder;
  const File in(folder.write("in", std::string((1 << 24) + 1, 'x')));
  std::string line;
  CHECK_THROWS_WITH_AS(next_line(in.get(), line, 8), "stdin:8: line longer than 16777216 bytes",
                       std::runtime_error);
}

TEST_CASE("prediction_text: what cannot be read is not the end") {
  const TempFolder folder;
  const File in(folder.path());
  std::string line;
  CHECK_THROWS_WITH_AS(next_line(in.get(), line, 3), "stdin:3: cannot read: Is a directory",
                       std::runtime_error);
}
