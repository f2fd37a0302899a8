// A Debian package index, as --dataset debian --data-dir reads it.

#include "tests/fuzz/fuzz.h"
#include "train/debian.h"

namespace bf::fuzz {

void packages(std::string_view bytes) {
  DatasetOptions options;
  options.name = "debian";
  options.data_dir = memory_file(bytes);
  refused_well("", [&] {
    const Dataset data = debian_dataset(options);
    expect(data.class_names.size() <= 20, data.class_names.size(), " sections");
    for (const auto* split : {&data.train, &data.validation, &data.test}) {
      for (const Example& example : *split) {
        expect_clean(example.text);
        expect(static_cast<Index>(example.label) < data.class_names.size(), "label ",
               example.label);
      }
    }
  });
}

}  // namespace bf::fuzz
