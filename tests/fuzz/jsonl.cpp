// JSON lines with two sentences, as those of SNLI.

#include "train/jsonl.h"

#include "tests/fuzz/rows.h"

namespace bf::fuzz {

void jsonl(std::string_view bytes) {
  const bool pair = choice(bytes, 2) == 1;
  const JsonlKeys keys{"label", {"a", "b"}, pair ? "c" : ""};
  const std::string path = memory_file(bytes);
  read_rows(path, [&] { return std::make_unique<JsonlRows>(path, keys, Encoding::utf8); });
}

}  // namespace bf::fuzz
