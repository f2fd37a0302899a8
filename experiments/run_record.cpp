#include "experiments/run_record.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "experiments/process.h"
#include "nn/json_text.h"
#include "nn/safetensors.h"
#include "tensor/require.h"
#include "train/run_folder.h"
#include "train/text_file.h"

namespace bf {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Tables and pictures grow with both.
constexpr Index most_layers = 100, most_heads = 256, most_kinds = 50;

const json* find(const json& value, const std::string& path) {
  const json::json_pointer pointer(path);
  return value.contains(pointer) ? &value.at(pointer) : nullptr;
}

/// The file as JSON; null when it is not there.
json read_json(const std::string& path) {
  if (!is_there(path)) return nullptr;
  json value = parse_json(read_whole_file(path, longest_summary_bytes));
  require_data(value.is_object(), path, ": is not a JSON object");
  return value;
}

Index whole(const json& value, const char* name) {
  const double number = number_at(value, std::string("/") + name);
  return number >= 0 && number < 1e15 ? static_cast<Index>(number) : 0;
}

TestText test_text(const json& line) {
  TestText text;
  text.index = whole(line, "index"), text.label = whole(line, "label");
  text.prediction = whole(line, "prediction"), text.tokens = whole(line, "tokens");
  text.loss = number_at(line, "/loss");
  text.difficulty = text_at(line, "/difficulty"), text.kind = text_at(line, "/kind");
  text.budgets = numbers_at(line, "/s");
  const json* heads = find(line, "/heads");
  if (heads == nullptr || !heads->is_array()) return text;
  for (Index i = 0; i < heads->size(); ++i) {
    std::vector<Index>& layer = text.heads.emplace_back();
    for (const double head : numbers_at(*heads, join_parts('/', i))) {
      layer.push_back(head >= 0 && head < 1e15 ? static_cast<Index>(head) : 0);
    }
  }
  return text;
}

/// A page has a table of layers and heads for every kind and difficulty.
std::vector<TestText> read_texts(const std::string& path) {
  std::vector<TestText> texts;
  std::set<std::string> kinds, difficulties;
  for (const json& line : read_json_lines(path)) {
    const TestText& text = texts.emplace_back(test_text(line));
    kinds.insert(text.kind);
    difficulties.insert(text.difficulty);
    kinds.erase("");  // stands for none
    difficulties.erase("");
    for (const auto& [names, what] :
         {std::pair{&kinds, "kinds"}, {&difficulties, "difficulties"}}) {
      require_data(names->size() <= most_kinds, path, ": more than ", most_kinds, ' ', what,
                   " of texts; no more can be shown");
    }
  }
  return texts;
}

/// Steps and epochs by their number: a resumed run may have written some of them twice.
void read_metrics(const std::string& path, RunRecord& run) {
  std::map<double, json> steps, epochs;
  for (const json& line : read_json_lines(path)) {
    // A map has no place for what is not a number.
    const double step = number_at(line, "/step/step"), epoch = number_at(line, "/epoch/epoch");
    if (std::isfinite(step)) steps[step] = line["step"];
    if (std::isfinite(epoch)) epochs[epoch] = line["epoch"];
  }
  for (const auto& [number, step] : steps) run.steps.push_back(step);
  for (const auto& [number, epoch] : epochs) run.epochs.push_back(epoch);
}

std::vector<std::string> class_names(const std::string& path) {
  if (!fs::exists(path)) return {};
  const Metadata metadata = load_safetensors(path).metadata;
  const auto found = metadata.find("class_names");
  if (found == metadata.end()) return {};
  std::vector<std::string> names;
  const json list = parse_json(found->second);
  if (!list.is_array()) return {};
  for (const json& name : list) names.push_back(name.is_string() ? name.get<std::string>() : "?");
  return names;
}

}  // namespace

double number_at(const json& value, const std::string& path) {
  const json* found = find(value, path);
  return found != nullptr && found->is_number() ? found->get<double>()
                                                : std::numeric_limits<double>::quiet_NaN();
}

std::string text_at(const json& value, const std::string& path, const std::string& otherwise) {
  const json* found = find(value, path);
  if (found == nullptr || found->is_null()) return otherwise;
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::vector<double> numbers_at(const json& value, const std::string& path) {
  const json* found = find(value, path);
  std::vector<double> numbers;
  if (found == nullptr || !found->is_array()) return numbers;
  for (const json& number : *found) {
    numbers.push_back(number.is_number() ? number.get<double>()
                                         : std::numeric_limits<double>::quiet_NaN());
  }
  return numbers;
}

std::vector<json> read_json_lines(const std::string& path, std::vector<Index>* line_numbers) {
  std::vector<json> lines;
  if (!fs::exists(path)) return lines;
  TextFile file(path, Encoding::utf8);
  for (std::string line; file.line(line);) {
    if (line.empty()) continue;
    json value = parse_json(line);
    if (!value.is_object() && !file.ended()) break;
    require_data(value.is_object(), file.place(), ": is not a JSON object");
    lines.push_back(std::move(value));
    if (line_numbers != nullptr) line_numbers->push_back(file.line_number());
  }
  return lines;
}

double TestText::total_heads() const {
  double total = 0;
  for (const auto& layer : heads) total += static_cast<double>(layer.size());
  return total;
}

Index RunRecord::layers() const { return whole(config["model"]["transformer"], "layers"); }
Index RunRecord::heads() const { return whole(config["model"]["transformer"], "heads"); }
bool RunRecord::budgets() const { return text_at(config, "/model/attention") != "mha"; }

std::string RunRecord::dataset() const {
  return text_at(timed, "/dataset", text_at(config, "/dataset", "unknown data"));
}

std::string RunRecord::name() const {
  return text_at(config, "/dataset", "unknown data") + ", " +
         text_at(config, "/model/attention", "unknown model");
}

std::string RunRecord::class_name(Index label) const {
  return label < class_names.size() ? class_names[label] : join_parts("class ", label);
}

double RunRecord::heads_mean() const {
  if (!budgets()) return static_cast<double>(heads());
  double sum = 0;
  for (Index i = 0; i < layers(); ++i) sum += test(join_parts("layers/", i, "/heads_mean"));
  return sum / static_cast<double>(layers());
}

double RunRecord::executed_share() const {
  return test("executed_flops_per_text") / test("dense_flops_per_text");
}

double RunRecord::seconds_per_1000() const {
  return timed.is_null() ? 1000 * test("seconds") / test("examples")
                         : number_at(timed, "/seconds_per_1000_texts");
}

double RunRecord::joules_per_1000() const {
  return timed.is_null() ? 1000 * test("energy/joules") / test("examples")
                         : number_at(timed, "/energy/joules_per_1000_texts");
}

double RunRecord::gco2_per_1000() const {
  return timed.is_null() ? 1000 * test("energy/gco2") / test("examples")
                         : number_at(timed, "/energy/gco2_per_1000_texts");
}

RunRecord read_run_record(const std::string& path) {
  std::error_code error;
  require_data(fs::is_directory(path, error), path, ": no such run folder");
  RunRecord run;
  run.path = path;
  run.config = read_json(path + "/config.json");
  require_data(!run.config.is_null(), path, ": is not the folder of a run (no config.json)");
  require_data(find(run.config, "/model/transformer") != nullptr, path,
               "/config.json: has no \"model\" with a \"transformer\"");
  require_data(run.layers() <= most_layers && run.heads() <= most_heads, path,
               "/config.json: ", run.layers(), " layers of ", run.heads(), " heads; at most ",
               most_layers, " of ", most_heads, " can be shown");
  run.summary = read_json(path + "/summary.json");
  read_metrics(path + "/metrics.jsonl", run);
  run.texts = read_texts(path + "/test_texts.jsonl");
  run.class_names = class_names(path + "/model.safetensors");
  return run;
}

void take_times(RunRecord& run, const std::string& file) {
  fs::path folder = fs::path(run.path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "runs/ag/"
  const std::string end = " --out " + shell_text({folder.string()});
  for (json& line : read_json_lines(file)) {
    if (text_at(line, "/command").ends_with(end)) run.timed = std::move(line);
  }
  require_data(!run.timed.is_null(), file, ": no command in it ends with \"", end.substr(1), '"');
}

}  // namespace bf
