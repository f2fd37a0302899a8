#include "train/checkpoint.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "nn/atomic_file.h"
#include "nn/json_text.h"
#include "tensor/printable.h"
#include "tensor/require.h"
#include "train/report_from_json.h"
#include "train/report_json.h"

namespace bf {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int format = 3, oldest_format = 2;  // 2 has alarms in no epoch
constexpr Index kept = 2;
constexpr std::string_view name_start = "step-", name_end = ".safetensors";

/// The groups of tensors, by the first part of their names.
constexpr std::pair<const char*, NamedTensors TrainingState::*> groups[] = {
    {"weights", &TrainingState::weights},
    {"first_moments", &TrainingState::first_moments},
    {"second_moments", &TrainingState::second_moments},
    {"best_weights", &TrainingState::best_weights}};

json to_json(const EpochSums& sums) {
  return {{"examples", sums.examples},       {"loss", sums.loss},
          {"policy_loss", sums.policy_loss}, {"seconds", sums.seconds},
          {"skipped", sums.skipped},         {"loss_spikes", sums.loss_spikes},
          {"first_spike", sums.first_spike}, {"without_gradient", sums.without_gradient}};
}

/// A field of exactly this type, of a JSON object that has it.
template <typename Value>
void read(const json& from, const char* name, Value& value) {
  require_data(read_exactly(from.at(name), value), "its \"", name, "\" is not of the right type");
}

void read_sums(const json& from, EpochSums& sums) {
  read(from, "examples", sums.examples);
  read(from, "loss", sums.loss);
  read(from, "policy_loss", sums.policy_loss);
  read(from, "seconds", sums.seconds);
  read(from, "skipped", sums.skipped);
  read(from, "loss_spikes", sums.loss_spikes);
  read(from, "first_spike", sums.first_spike);
  read(from, "without_gradient", sums.without_gradient);
}

/// Everything but the epochs.
json state_json(const Checkpoint& checkpoint) {
  const TrainingState& state = checkpoint.state;
  return {{"format", format},
          {"run", checkpoint.run},
          {"metrics_bytes", checkpoint.metrics_bytes},
          {"step", state.trainer.step},
          {"optimizer_steps", state.optimizer_steps},
          {"sums", to_json(state.trainer.sums)},
          {"skipped", state.trainer.skips.total},
          {"skipped_in_a_row", state.trainer.skips.in_a_row},
          {"losses", state.trainer.loss_level.losses},
          {"loss_is_high", state.trainer.loss_level.high},
          {"epoch_energy", bf::to_json(state.epoch_energy)},
          {"without_gradient", state.without_gradient}};
}

/// The epochs are written one after another: a tree of all of them takes ten times the memory of
/// its text, at every save of a long run.
std::string state_text(const Checkpoint& checkpoint) {
  std::string text = state_json(checkpoint).dump();
  text.back() = ',';
  text += "\"epochs\":[";
  for (const EpochReport& epoch : checkpoint.state.epochs) {
    if (text.back() != '[') text += ',';
    text += bf::to_json(epoch).dump();
  }
  return text += "]}";
}

void read_state(const json& from, Checkpoint& checkpoint) {
  const json& its = from.at("format");
  require_data(its == format || its == oldest_format, "its format is ", shortened(its.dump()),
               ", not ", oldest_format, " or ", format);
  TrainingState& state = checkpoint.state;
  read(from, "run", checkpoint.run);
  read(from, "metrics_bytes", checkpoint.metrics_bytes);
  read(from, "step", state.trainer.step);
  read(from, "optimizer_steps", state.optimizer_steps);
  read_sums(from.at("sums"), state.trainer.sums);
  read(from, "skipped", state.trainer.skips.total);
  read(from, "skipped_in_a_row", state.trainer.skips.in_a_row);
  read(from, "losses", state.trainer.loss_level.losses);
  read(from, "loss_is_high", state.trainer.loss_level.high);
  state.epoch_energy = energy_from_json(from.at("epoch_energy"));
  read(from, "without_gradient", state.without_gradient);
  for (const json& epoch : from.at("epochs")) {
    state.epochs.push_back(epoch_report_from_json(epoch));
  }
}

/// crc32 as 8 hexadecimal digits.
std::string checksum(const NamedTensors& tensors, const std::string& state) {
  uLong sum = crc32(0, nullptr, 0);
  const auto add = [&sum](const void* bytes, Index count) {
    sum = crc32_z(sum, static_cast<const Bytef*>(bytes), count);
  };
  add(state.data(), state.size());
  for (const auto& [name, tensor] : tensors) {
    const std::string title = join_parts('\n', name, ' ', tensor.shape(), '\n');
    add(title.data(), title.size());
    add(tensor.data(), tensor.size() * sizeof(Real));
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) text += digits[(sum >> shift) & 15];
  return text;
}

const std::string& entry(const Metadata& metadata, const char* name) {
  const auto found = metadata.find(name);
  require_data(found != metadata.end(), "the metadata has no \"", name, '"');
  return found->second;
}

void sort_tensor(const std::string& name, const Tensor& tensor, TrainingState& state) {
  const Index slash = std::min(name.find('/'), name.size());
  for (const auto& [group, member] : groups) {
    if (name.substr(0, slash) == group && slash < name.size()) {
      (state.*member).emplace_back(name.substr(slash + 1), tensor);
      return;
    }
  }
  require_data(false, "it holds a tensor \"", shortened(name), '"');
}

/// The step in a file's name; nothing for other files.
std::optional<Index> step_of(const std::string& name) {
  const std::string_view all = name;
  if (!all.starts_with(name_start) || !all.ends_with(name_end)) return {};
  if (all.size() <= name_start.size() + name_end.size()) return {};
  const char* first = all.data() + name_start.size();
  const char* last = all.data() + all.size() - name_end.size();
  Index step = 0;
  const auto [end, error] = std::from_chars(first, last, step);
  return error == std::errc{} && end == last ? std::optional(step) : std::nullopt;
}

}  // namespace

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  NamedTensors tensors;
  for (const auto& [group, member] : groups) {
    for (const auto& [name, tensor] : checkpoint.state.*member) {
      tensors.emplace_back(join_parts(group, '/', name), tensor);
    }
  }
  const std::string state = state_text(checkpoint);
  require_data(json_within_limits(state), "save: checkpoint \"", path,
               "\": its state has more than ", most_json_values,
               " values, which no reader would take");
  save_safetensors(path, tensors, {{"state", state}, {"crc32", checksum(tensors, state)}});
}

Checkpoint load_checkpoint(const std::string& path) {
  const SafetensorsFile file = load_safetensors(path);
  try {
    const std::string& state = entry(file.metadata, "state");
    const std::string sum = checksum(file.tensors, state);
    require_data(sum == entry(file.metadata, "crc32"), "its contents have the checksum ", sum,
                 ", not ", shortened(entry(file.metadata, "crc32")));
    Checkpoint checkpoint;
    read_state(parse_json(state), checkpoint);
    for (const auto& [name, tensor] : file.tensors) sort_tensor(name, tensor, checkpoint.state);
    return checkpoint;
  } catch (const json::exception&) {
    require_data(false, "load: checkpoint \"", path, "\": its state is not that of a checkpoint");
  } catch (const std::runtime_error& error) {
    require_data(false, "load: checkpoint \"", path, "\": ", error.what());
  }
  return {};
}

void CheckpointFolder::save(const Checkpoint& checkpoint) const {
  make_folders(path_);
  save_checkpoint(join_parts(path_, '/', name_start, checkpoint.state.trainer.step, name_end),
                  checkpoint);
  const std::vector<std::string> all = files();
  std::error_code ignored;
  for (Index i = kept; i < all.size(); ++i) fs::remove(all[i], ignored);
}

std::optional<Checkpoint> CheckpointFolder::newest(
    const std::function<void(const std::string&)>& note) const {
  const std::vector<std::string> all = files();
  for (const std::string& file : all) {
    // It may be whole: nothing is lost when somebody makes it readable and resumes again.
    const std::ifstream readable(file);
    require_data(readable.good(), "load: checkpoint \"", file,
                 "\": cannot open: ", std::strerror(errno));
    try {
      Checkpoint checkpoint = load_checkpoint(file);
      require_data(step_of(fs::path(file).filename()) == checkpoint.state.trainer.step,
                   "load: checkpoint \"", file, "\": it holds step ",
                   checkpoint.state.trainer.step);
      // A damaged one would count as one of the two that are kept, in place of this one.
      std::error_code ignored;
      for (const std::string& damaged : all) {
        if (damaged == file) break;
        fs::remove(damaged, ignored);
      }
      return checkpoint;
    } catch (const std::runtime_error& error) {
      require_data(file != all.back(), error.what(), "; no other checkpoint is left: remove ",
                   path_, " to begin again");
      note(join_parts(error.what(), "; the one before it is taken"));
    }
  }
  return {};
}

std::string CheckpointFolder::newest_text() const {
  std::vector<std::string> all;
  try {
    all = files();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  if (all.empty()) return "no checkpoint has been made yet";
  const std::string& newest = all.front();
  return join_parts("the last good checkpoint is ", newest, " (step ",
                    *step_of(fs::path(newest).filename()), ')');
}

void CheckpointFolder::remove_unfinished() const {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator file(path_, error), end; !error && file != end;
       file.increment(error)) {
    if (step_of(name_of_unfinished(file->path().filename()))) found.push_back(file->path());
  }
  for (const fs::path& file : found) fs::remove(file, error);
}

void CheckpointFolder::remove() const {
  remove_unfinished();
  std::error_code error;
  for (const std::string& file : files()) {
    fs::remove(file, error);
    require_data(!error, file, ": cannot remove: ", error.message());
  }
  fs::remove(path_, error);
  require_data(!error || error == std::errc::directory_not_empty, path_,
               ": cannot remove: ", error.message());
}

std::vector<std::string> CheckpointFolder::files() const {
  std::vector<std::pair<Index, std::string>> found;
  std::error_code error;
  for (fs::directory_iterator file(path_, error), end; !error && file != end;
       file.increment(error)) {
    const auto step = step_of(file->path().filename());
    std::error_code unknown;
    if (step && file->is_regular_file(unknown)) found.emplace_back(*step, file->path());
  }
  // A folder that cannot be read is not one without checkpoints: the run would begin again.
  require_data(!error || error == std::errc::no_such_file_or_directory, path_,
               ": cannot read the checkpoints: ", error.message());
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> paths;
  paths.reserve(found.size());
  for (auto& [step, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace bf
