#include "experiments/run_identity.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tensor/printable.h"
#include "tensor/require.h"

namespace bf {
namespace {

using nlohmann::json;

json part(const json& from, const char* name) {
  return from.is_object() && from.contains(name) ? from.at(name) : json();
}

/// The option behind a field: its name with dashes, but for these.
std::string option_of(std::string field) {
  static const std::map<std::string, std::string> others = {{"controller_rate", "controller-lr"},
                                                            {"decay", "lr-decay"},
                                                            {"floor", "lr-floor"},
                                                            {"learning_rate", "lr"},
                                                            {"max_length", "max-len"},
                                                            {"pool", "controller-pool"},
                                                            {"start_weights", "prune-from"}};
  const auto other = others.find(field);
  if (other != others.end()) return "--" + other->second;
  std::replace(field.begin(), field.end(), '_', '-');
  return "--" + field;
}

std::string shown(const json& value) {
  if (value.is_null()) return "nothing";
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return text.empty() ? "\"\"" : shortened(text);
}

/// Throws for the first field that is not the same in both, by the order of their names.
void require_same_fields(const std::string& path, const json& before, const json& now) {
  const json old_fields = before.flatten(), new_fields = now.flatten();
  std::set<std::string> names;
  for (const auto& [name, value] : old_fields.items()) names.insert(name);
  for (const auto& [name, value] : new_fields.items()) names.insert(name);
  for (const std::string& name : names) {
    const json a = part(old_fields, name.c_str()), b = part(new_fields, name.c_str());
    require_data(a == b, path, ": was begun with ",
                 shortened(option_of(name.substr(name.rfind('/') + 1))), ' ', shown(a), ", not ",
                 shown(b), "; give it the same options, or choose another folder");
  }
}

}  // namespace

json run_identity(const json& config) {
  json model = part(config, "model");
  const json attention = part(model, "attention");
  json training = part(config, "training");
  if (training.is_object()) training.erase("on_nonfinite");
  if (model.is_object() && attention == "mha") model.erase("budget");
  if (attention != "fixed" && part(model, "budget").is_object()) {
    model["budget"].erase("fixed_budget");
  }
  return {{"data", part(part(config, "data"), "hash")},
          {"tokenizer", part(config, "tokenizer")},
          {"model", model},
          {"start_weights", part(config, "start_weights")},
          {"training", training}};
}

std::string identity_text(const json& config) { return run_identity(config).dump(); }

void require_same_run(const std::string& path, const json& before, const json& now) {
  json old_data = part(before, "data"), new_data = part(now, "data");
  const json old_hash = part(old_data, "hash"), new_hash = part(new_data, "hash");
  if (old_hash != new_hash) {
    require_data(old_hash.is_string(), path, ": its config.json does not say which rows it saw; ",
                 "choose another folder");
    old_data.erase("hash");
    new_data.erase("hash");
    require_same_fields(path, old_data, new_data);
    require_data(false, path, ": was begun with other rows (data hash ", shown(old_hash), ", not ",
                 shown(new_hash), "); give it the same data, or choose another folder");
  }
  require_same_fields(path, run_identity(before), run_identity(now));
}

std::vector<std::string> environment_changes(const json& before, const json& now) {
  std::vector<std::string> changes;
  for (const char* name : {"version", "compiler", "simd", "gemm_kernel"}) {
    const json a = part(part(before, "environment"), name);
    const json b = part(part(now, "environment"), name);
    if (a != b) {
      changes.push_back(join_parts("was begun with ", name, ' ', shown(a), " and goes on with ",
                                   shown(b), ": the last bits may differ"));
    }
  }
  return changes;
}

}  // namespace bf
