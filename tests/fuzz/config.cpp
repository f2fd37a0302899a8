// The configuration of a model, as config.json and the metadata of a model hold it.

#include <nlohmann/json.hpp>

#include "nn/json_text.h"
#include "tests/fuzz/fuzz.h"
#include "train/model_builder.h"

namespace bf::fuzz {

void config(std::string_view bytes) {
  const nlohmann::json json = parse_json(bytes);
  refused_well("", [&] {
    const ModelConfig read = model_config_from_json(json);
    const nlohmann::json written = to_json(read);
    expect(to_json(model_config_from_json(written)) == written, "another configuration comes back");
    require_model_fits(read, 10'000, "a file");
    // A long table of sinusoidal positions takes a second and shows nothing that a short one hides.
    if (read.transformer.max_length <= 1000) make_model(read);
  });
}

}  // namespace bf::fuzz
