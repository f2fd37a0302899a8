#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/real.h"

// JSON from outside. The parser itself takes any depth, but writing, copying and comparing what it
// made call themselves once for each level; and a value takes up to 50 times the bytes of its text.
namespace bf {

constexpr Index deepest_json = 64;
constexpr Index most_json_values = 4'000'000;

/// Whether the text nests and holds no more than that. Says nothing about whether it is JSON.
bool json_within_limits(std::string_view text);

/// The value; discarded (is_discarded()) when the text is not JSON, is beyond the limits, or has a
/// key twice in one object, of which a parser takes the one or the other.
nlohmann::json parse_json(std::string_view text);

/// On one line for a terminal: control characters and marks that turn the direction of writing
/// stand as \u escapes.
std::string json_line(const nlohmann::json& value);

/// Reads a value that is exactly of this kind: a whole number in range for an integer (the library
/// itself would take -1, 0.5 and true), a number, text, true or false, or a list of them. Returns
/// false, and leaves `into` undefined, for anything else.
template <typename Value>
bool read_exactly(const nlohmann::json& from, Value& into) {
  if constexpr (std::same_as<Value, bool>) {
    if (!from.is_boolean()) return false;
  } else if constexpr (std::integral<Value>) {
    if (!from.is_number_integer()) return false;
    const bool fits = from.is_number_unsigned() ? std::in_range<Value>(from.get<std::uint64_t>())
                                                : std::in_range<Value>(from.get<std::int64_t>());
    if (!fits) return false;
  } else if constexpr (std::floating_point<Value>) {
    if (!from.is_number()) return false;
  } else if constexpr (std::same_as<Value, std::string>) {
    if (!from.is_string()) return false;
  } else {
    if (!from.is_array()) return false;
    into.clear();
    for (const auto& element : from) {
      typename Value::value_type value{};
      if (!read_exactly(element, value)) return false;
      into.push_back(std::move(value));
    }
    return true;
  }
  into = from.get<Value>();
  return true;
}

}  // namespace bf
