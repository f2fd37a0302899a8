#include "train/run_folder.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "nn/atomic_file.h"
#include "nn/json_text.h"
#include "nn/safetensors.h"
#include "tensor/printable.h"
#include "tensor/require.h"
#include "train/input_file.h"
#include "train/rows.h"

namespace bf {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* config_file = "config.json";
constexpr const char* metrics_file = "metrics.jsonl";
constexpr const char* model_file = "model.safetensors";
constexpr const char* summary_file = "summary.json";
constexpr const char* texts_file = "test_texts.jsonl";
constexpr const char* checkpoint_folder = "checkpoint";

void write_json(const std::string& path, const json& value) {
  write_whole_file(path, value.dump(2) + '\n');
}

json read_json(const std::string& path) {
  json value = parse_json(read_whole_file(path, longest_summary_bytes));
  require_data(value.is_object(), path, ": is not a JSON object");
  return value;
}

std::string made_folder(const std::string& path) {
  make_folders(path);
  return path;
}

/// Files of a run that a killed process left under temporary names.
std::vector<fs::path> left_overs(const std::string& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const std::string name = name_of_unfinished(file->path().filename());
    if (name == config_file || name == model_file || name == summary_file || name == texts_file) {
      found.push_back(file->path());
    }
  }
  return found;
}

void remove_left_overs(const std::string& folder) {
  std::error_code ignored;
  for (const fs::path& file : left_overs(folder)) fs::remove(file, ignored);
}

/// Whether there is something of this name that is not an empty folder.
bool is_in_the_way(const std::string& path) {
  std::error_code error;
  return is_there(path) && !(fs::is_directory(path, error) && fs::is_empty(path, error));
}

/// Its size in bytes, 0 if it is not there yet.
Index size_of_log(const std::string& path) {
  if (!is_there(path)) return 0;
  // To open a pipe would wait for its reader.
  require_data(fs::is_regular_file(path), path, ": is not a regular file");
  return static_cast<Index>(fs::file_size(path));
}

/// One entry of the metadata, parsed.
json entry(const Metadata& metadata, const char* name, const std::string& path) {
  const auto found = metadata.find(name);
  require_data(found != metadata.end(), path, ": the metadata has no \"", name,
               "\"; is it a model of bf-train?");
  json value = parse_json(found->second);
  require_data(!value.is_discarded(), path, ": \"", name, "\" in the metadata is not JSON");
  return value;
}

/// What `make` makes of something in this file; its errors begin with the file's name.
template <typename Make>
auto named(const std::string& file, Make make) {
  try {
    return make();
  } catch (const std::runtime_error& wrong) {
    throw std::runtime_error(join_parts(file, ": ", printable(wrong.what())));
  } catch (const std::invalid_argument& wrong) {
    throw std::runtime_error(join_parts(file, ": ", printable(wrong.what())));
  }
}

Index values_in(const SafetensorsFile& file) {
  Index values = 0;
  for (const auto& [name, tensor] : file.tensors) values += tensor.size();
  return values;
}

}  // namespace

void RunFolder::require_free(const std::string& path) {
  const auto require = [&](bool free, const char* name) {
    require_data(free, path, ": holds a run already (", name, "); choose another folder");
  };
  for (const char* name : {config_file, metrics_file, model_file, summary_file, texts_file}) {
    require(!is_there(path + '/' + name), name);
  }
  // Checkpoints of another run would be taken for this one's.
  require(!is_in_the_way(path + '/' + checkpoint_folder), checkpoint_folder);
}

RunFolder::RunFolder(const std::string& path)
    : path_(path), lock_(made_folder(path)), checkpoints_(path + '/' + checkpoint_folder) {}

void RunFolder::begin(const json& config) {
  require_free(path_);
  remove_left_overs(path_);
  write_json(file(config_file), config);
  open_metrics();
}

void RunFolder::resume(Index metrics_bytes) {
  remove_left_overs(path_);
  checkpoints_.remove_unfinished();
  const Index have = size_of_log(file(metrics_file));
  require_data(have >= metrics_bytes, file(metrics_file), ": has ", have,
               " bytes; the checkpoint was made at ", metrics_bytes);
  std::error_code error;
  if (have > metrics_bytes) fs::resize_file(file(metrics_file), metrics_bytes, error);
  require_data(!error, file(metrics_file), ": cannot cut: ", error.message());
  open_metrics();
}

void RunFolder::open_metrics() {
  metrics_.open(file(metrics_file), std::ios::app);
  require_data(metrics_.good(), file(metrics_file), ": cannot write");
  sync_path(path_);  // its name, for the checkpoints that count on it
}

Index RunFolder::metrics_bytes() {
  metrics_.flush();
  sync_path(file(metrics_file));
  return static_cast<Index>(fs::file_size(file(metrics_file)));
}

void RunFolder::add_metric(const json& metric) {
  metrics_ << metric.dump() << std::endl;  // flushed: a run that is killed keeps its log
  require_data(metrics_.good(), file(metrics_file), ": cannot write");
}

void RunFolder::save_model(Model& model, const Tokenizer& tokenizer,
                           const TokenizerConfig& tokenizer_config,
                           const std::vector<std::string>& class_names) {
  save_parameters(*model.net, file(model_file),
                  {{"model", to_json(model.config).dump()},
                   {"class_names", json(class_names).dump()},
                   {"max_length", json(tokenizer_config.max_length).dump()},
                   {"tokenizer", tokenizer.to_json().dump()}});
}

void RunFolder::finish(const json& summary) {
  write_json(file(summary_file), summary);
  tidy();
}

void RunFolder::tidy() {
  checkpoints_.remove();
  remove_left_overs(path_);
}

bool RunFolder::is_tidy(const std::string& path) {
  return !is_there(path + '/' + checkpoint_folder) && !is_there(path + "/lock") &&
         left_overs(path).empty();
}

FolderState folder_state(const std::string& path) {
  if (is_there(path + '/' + summary_file)) return FolderState::finished;
  for (const char* name : {config_file, metrics_file, model_file}) {
    if (is_there(path + '/' + name)) return FolderState::interrupted;
  }
  return FolderState::empty;
}

json run_config(const std::string& path) { return read_json(path + '/' + config_file); }
json run_summary(const std::string& path) { return read_json(path + '/' + summary_file); }

TrainedModel load_run(const std::string& path) {
  std::error_code error;
  require_data(fs::is_directory(path, error), path, ": no such run folder");
  const std::string file = path + '/' + model_file;
  require_data(fs::exists(file, error), path, ": holds no trained model (no ", model_file, ")");
  const SafetensorsFile weights = load_safetensors(file);
  TrainedModel trained;
  const json model = entry(weights.metadata, "model", file);
  const auto config = named(file, [&] { return model_config_from_json(model); });
  require_model_fits(config, values_in(weights), file);
  trained.model = named(file, [&] { return make_model(config); });
  require_data(read_exactly(entry(weights.metadata, "class_names", file), trained.class_names) &&
                   read_exactly(entry(weights.metadata, "max_length", file), trained.max_length),
               file, ": \"class_names\" or \"max_length\" in the metadata has the wrong type");
  require_class_names(trained.class_names, file);
  const json tokenizer = entry(weights.metadata, "tokenizer", file);
  trained.tokenizer = named(file, [&] { return tokenizer_from_json(tokenizer); });
  const TransformerConfig& shape = trained.model.config.transformer;
  require_data(shape.vocabulary == trained.tokenizer->vocabulary_size(), file,
               ": the tokenizer has ", trained.tokenizer->vocabulary_size(),
               " entries, the model expects ", shape.vocabulary);
  require_data(shape.classes == trained.class_names.size(), file, ": ", trained.class_names.size(),
               " class names for ", shape.classes, " classes");
  require_data(trained.max_length >= 1 && trained.max_length <= shape.max_length, file,
               ": max_length ", trained.max_length, " is outside 1..", shape.max_length);
  load_parameters(*trained.model.net, weights, file);
  trained.model.net->train(false);
  return trained;
}

}  // namespace bf
