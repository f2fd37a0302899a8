// A safetensors file; what can be read is written again and comes back.

#include "nn/safetensors.h"

#include <cstring>
#include <filesystem>

#include "tests/fuzz/fuzz.h"

namespace bf::fuzz {

void safetensors(std::string_view bytes) {
  const std::string path = memory_file(bytes);
  SafetensorsFile file;
  if (!refused_well("load: \"" + path + "\": ", [&] { file = load_safetensors(path); })) return;
  const std::string copy = folder_of("safetensors") + "/copy";
  save_safetensors(copy, file.tensors, file.metadata);
  const SafetensorsFile again = load_safetensors(copy);
  expect(again.metadata == file.metadata, "other metadata");
  expect(again.tensors.size() == file.tensors.size(), "another number of tensors");
  // Tensors without values share their place: the order of such is that of their names.
  for (std::size_t i = 0; i < file.tensors.size(); ++i) {
    const auto& [name, tensor] = file.tensors[i];
    const auto& [other, values] = again.tensors[i];
    expect(name == other && tensor.shape() == values.shape(), "another tensor");
    expect(tensor.size() == 0 ||
               std::memcmp(tensor.data(), values.data(), tensor.size() * sizeof(Real)) == 0,
           "other values");
  }
}

}  // namespace bf::fuzz
