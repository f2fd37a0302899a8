#include "train/jsonl.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "nn/json_text.h"
#include "tensor/require.h"

namespace bf {
namespace {

using nlohmann::json;

const json& member(const json& object, const std::string& key, const std::string& place) {
  const auto found = object.find(key);
  if (found == object.end()) throw BadRow(join_parts(place, ": no key \"", key, "\""));
  return *found;
}

std::string text_member(const json& object, const std::string& key, const std::string& place) {
  const json& value = member(object, key, place);
  if (!value.is_string()) {
    throw BadRow(join_parts(place, ": key \"", key, "\" is not a text but ", value.type_name()));
  }
  return value.get<std::string>();
}

}  // namespace

JsonlRows::JsonlRows(const std::string& path, JsonlKeys keys, Encoding encoding)
    : file_(path, encoding), keys_(std::move(keys)) {}

bool JsonlRows::next(Row& row) {
  do {
    if (!file_.line(line_)) return false;
  } while (line_.empty());
  if (!file_.problem().empty()) throw BadRow(file_.problem());
  const json object = parse_json(line_);
  if (!object.is_object()) {
    throw BadRow(join_parts(place(), ": not a JSON object with each key once: \"",
                            shortened(line_, 40), "\""));
  }
  const json& label = member(object, keys_.label, place());
  if (!label.is_string() && !label.is_number_integer()) {
    throw BadRow(join_parts(place(), ": key \"", keys_.label,
                            "\" is neither a text nor a whole number but ", label.type_name()));
  }
  row.label = label.is_string() ? label.get<std::string>() : label.dump();
  row.text.clear();
  for (const std::string& key : keys_.text) {
    if (!row.text.empty()) row.text += ' ';
    row.text += text_member(object, key, place());
  }
  row.second = keys_.second.empty() ? std::string() : text_member(object, keys_.second, place());
  return true;
}

}  // namespace bf
