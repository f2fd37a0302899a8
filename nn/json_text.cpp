#include "nn/json_text.h"

#include <algorithm>
#include <optional>

#include "tensor/printable.h"

namespace bf {
namespace {

/// A character outside the first 128 as its escape; those that take two are no control characters.
std::string escape(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  const unsigned code = character.size() == 1 ? byte(0)
                        : character.size() == 2
                            ? (byte(0) & 0x1fU) << 6 | (byte(1) & 0x3fU)
                            : (byte(0) & 0xfU) << 12 | (byte(1) & 0x3fU) << 6 | (byte(2) & 0x3fU);
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[(code >> shift) & 15];
  return text;
}

/// The members of all objects in it, counted by their colons, if it is within the limits.
std::optional<Index> scan(std::string_view text) {
  Index depth = 0, values = 0, members = 0;
  bool in_text = false;
  for (Index at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_text) {
      if (c == '\\') ++at;
      if (c == '"') in_text = false;
      continue;
    }
    if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_json) return {};
      ++values;
    } else if (c == ']' || c == '}') {
      if (depth > 0) --depth;
    } else if (c == ',') {
      ++values;
    } else if (c == ':') {
      ++members;
    }
    if (values > most_json_values) return {};
  }
  return members;
}

Index members_of(const nlohmann::json& value) {
  if (!value.is_structured()) return 0;
  Index members = value.is_object() ? value.size() : 0;
  for (const nlohmann::json& inner : value) members += members_of(inner);
  return members;
}

}  // namespace

bool json_within_limits(std::string_view text) { return scan(text).has_value(); }

nlohmann::json parse_json(std::string_view text) {
  const std::optional<Index> members = scan(text);
  if (!members) return nlohmann::json::value_t::discarded;
  auto value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  // Of equal keys in an object the last one is left.
  if (members_of(value) != *members) return nlohmann::json::value_t::discarded;
  return value;
}

std::string json_line(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (printable(text) == text) return text;
  std::string line;
  line.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text, at));
    const std::string_view character = std::string_view(text).substr(at, length);
    // The library escapes the first 32 itself; what is left stands inside a text.
    if (printable(character) == character) {
      line += character;
    } else {
      line += escape(character);
    }
    at += length;
  }
  return line;
}

}  // namespace bf
