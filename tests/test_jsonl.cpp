#include "train/jsonl.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/temp_folder.h"

using namespace bf;

namespace {

const JsonlKeys keys{"label", {"title", "text"}, "other"};

/// The message for one line, without the path.
std::string failure(const TempFolder& folder, const std::string& line) {
  const std::string path = folder.write("a.jsonl", line + "\n");
  JsonlRows rows(path, keys, Encoding::utf8);
  Row row;
  try {
    rows.next(row);
  } catch (const BadRow& error) {
    return std::string(error.what()).substr(path.size());
  }
  return "";
}

}  // namespace

TEST_CASE("jsonl: texts are joined, labels may be numbers, other keys do not matter") {
  const TempFolder folder;
  const std::string path = folder.write(
      "a.jsonl",
      "{\"label\": 3, \"title\": \"A\", \"text\": \"caf\\u00e9\\nb\", \"other\": \"\", "
      "\"x\": [1, {}]}\n\n"
      "{\"label\": \"yes\", \"title\": \"\", \"text\": \"c\", \"other\": \"d\"}");
  JsonlRows rows(path, keys, Encoding::utf8);
  Row row;
  CHECK(rows.next(row));
  CHECK(row.label == "3");
  CHECK(row.text == "A café\nb");
  CHECK(row.second == "");
  CHECK(rows.next(row));
  CHECK(row.label == "yes");
  CHECK(row.text == "c");
  CHECK(row.second == "d");
  CHECK(rows.place() == path + ":3");
  CHECK_FALSE(rows.next(row));
}

TEST_CASE("jsonl: what is no object with these keys is a bad row") {
  const TempFolder folder;
  CHECK(failure(folder, "{\"label\": 1,") ==
        ":1: not a JSON object with each key once: \"{\"label\": 1,\"");
  CHECK(failure(folder, "[1]") == ":1: not a JSON object with each key once: \"[1]\"");
  CHECK(failure(folder, R"({"label": 1, "text": "a", "text": "b"})") ==
        R"(:1: not a JSON object with each key once: "{"label": 1, "text": "a", "text": "b"}")");
  CHECK(failure(folder, "{\"title\": \"\"}") == ":1: no key \"label\"");
  CHECK(failure(folder, "{\"label\": 1.5}") ==
        ":1: key \"label\" is neither a text nor a whole number but number");
  CHECK(failure(folder, "{\"label\": 1, \"title\": null}") ==
        ":1: key \"title\" is not a text but null");
  CHECK(failure(folder, "{\"label\": \"\xff\"}") ==
        ":1: invalid UTF-8 byte 0xff at column 12; pass --encoding");
}
