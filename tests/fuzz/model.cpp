// model.safetensors of a run folder: whole, or its metadata around a small model's weights.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "nn/json_text.h"
#include "tests/fuzz/fuzz.h"
#include "train/predict.h"
#include "train/run_folder.h"

namespace bf::fuzz {
namespace {

/// A file of 64 x 64 values in one tensor with these entries in its metadata.
std::string file_with(const nlohmann::json& metadata) {
  const nlohmann::json header = {
      {"__metadata__", metadata},
      {"w", {{"dtype", "F32"}, {"shape", {64, 64}}, {"data_offsets", {0, 16384}}}}};
  const std::string head = header.dump();
  const std::uint64_t length = head.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + head +
         std::string(16384, '\0');
}

}  // namespace

void model(std::string_view bytes) {
  const bool metadata = choice(bytes, 2) == 1;
  std::string content(bytes);
  if (metadata) {
    const nlohmann::json parsed = parse_json(bytes);
    if (parsed.is_discarded()) return;
    content = file_with(parsed);
  }
  const std::string folder = folder_of("model");
  place(folder, "model.safetensors", content, 0);
  std::optional<TrainedModel> trained;
  try {
    trained = load_run(folder);
  } catch (const std::runtime_error& error) {
    const std::string message = error.what();
    expect_message("", message);
    expect(message.find(folder + "/model.safetensors") != message.npos, "no file: ", message);
    return;
  }
  refused_well("", [&] {
    const Prediction answer = bf::predict(*trained, "a text", "");
    expect(static_cast<Index>(answer.label) < trained->class_names.size(), "no such class");
  });
}

}  // namespace bf::fuzz
