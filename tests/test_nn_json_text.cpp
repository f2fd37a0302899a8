#include "nn/json_text.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tensor/printable.h"
#include "tests/unicode_characters.h"

using namespace bf;
using nlohmann::json;

namespace {

std::string repeated(const std::string& text, Index count) {
  std::string result;
  for (Index i = 0; i < count; ++i) result += text;
  return result;
}

template <typename Value>
bool is(const std::string& text) {
  Value value{};
  return read_exactly(json::parse(text), value);
}

}  // namespace

TEST_CASE("json_text: what nests too deep is no value, at any depth") {
  const std::string open = repeated("[", deepest_json), close = repeated("]", deepest_json);
  CHECK(parse_json(open + close).is_array());
  CHECK(parse_json("[" + open + close + "]").is_discarded());
  CHECK(parse_json(repeated("[", 1'000'000)).is_discarded());
  CHECK(parse_json(repeated("{\"a\":", 1'000'000)).is_discarded());
  // Brackets in a text are no levels, after an escaped quote neither.
  CHECK(parse_json("\"" + repeated("[", 100) + R"(\"[\\")").is_string());
  CHECK(parse_json("[" + repeated("[],", 1000) + "1]").size() == 1001);
}

TEST_CASE("json_text: a text of too many values is refused before it is taken apart") {
  CHECK_FALSE(json_within_limits("[" + repeated("0,", most_json_values) + "0]"));
  CHECK(json_within_limits("[\"" + repeated(",", most_json_values) + "\"]"));
}

TEST_CASE("json_text: what is not JSON is discarded and not thrown") {
  for (const char* text : {"", "{", "]", "nul", "1e999", "\"\xff\"", "\"\\ud800\"", "{} {}"}) {
    CAPTURE(text);
    CHECK(parse_json(text).is_discarded());
  }
  CHECK(parse_json(" {\"a\": 1}").at("a") == 1);
}

TEST_CASE("json_text: a key that stands twice in one object is no value") {
  for (const char* twice : {R"({"a": 1, "a": 1})", R"([{"b": {"a": 1, "c": 2, "a": 3}}])"}) {
    CAPTURE(twice);
    CHECK(parse_json(twice).is_discarded());
  }
  const nlohmann::json value = parse_json(R"([{"a:b": {"a": ":\":"}}, {"a:b": 2}, []])");
  REQUIRE(value.size() == 3);
  CHECK(value[0]["a:b"]["a"] == ":\":");
}

TEST_CASE("json_text: a line holds nothing that a terminal obeys, and reads as the same value") {
  const json value = {{"a\u009b", "b\x1b[0m\x7f\u202e\ufeff\u00e9\U0001f600"}};
  CHECK(json_line(value) == "{\"a\\u009b\":\"b\\u001b[0m\\u007f\\u202e\\ufeff\u00e9\U0001f600\"}");
  CHECK(json::parse(json_line(value)) == value);
}

TEST_CASE("json_text: so does a line with any character of Unicode") {
  CHECK(characters_that_break([](UChar32, const std::string& character) {
          const std::string line = json_line(character);
          const bool same = line == '"' + character + '"';
          return printable(line) == line && (same || json::parse(line) == character);
        }) == "");
}

TEST_CASE("json_text: a number is taken for what it is") {
  CHECK(is<Index>("18446744073709551615"));
  CHECK_FALSE(is<Index>("18446744073709551616"));
  CHECK_FALSE(is<Index>("-1"));
  CHECK_FALSE(is<Index>("1.0"));
  CHECK_FALSE(is<Index>("true"));
  CHECK_FALSE(is<Index>("\"1\""));
  CHECK(is<int>("-2147483648"));
  CHECK_FALSE(is<int>("2147483648"));
  CHECK(is<double>("3"));
  CHECK_FALSE(is<double>("true"));
  CHECK_FALSE(is<double>("null"));
  CHECK_FALSE(is<bool>("1"));
  CHECK(is<std::string>("\"x\""));
  CHECK_FALSE(is<std::string>("[]"));
  // A number made by a program and not read is signed, also where it is positive.
  Index count = 0;
  CHECK(read_exactly(json(7), count));
  CHECK(count == 7);
}

TEST_CASE("json_text: a list is right if all of it is") {
  std::vector<Index> counts = {9};
  CHECK(read_exactly(json::parse("[1, 2]"), counts));
  CHECK(counts == std::vector<Index>{1, 2});
  CHECK_FALSE(read_exactly(json::parse("[1, -2]"), counts));
  CHECK_FALSE(read_exactly(json::parse("{}"), counts));
  CHECK(is<std::vector<std::vector<double>>>("[[1], []]"));
}
