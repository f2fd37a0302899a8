// A label and a text on a line: TREC, R8, emotion, Kim; and the TSV of SST-2, as the catalog has
// them.

#include <array>

#include "tests/fuzz/rows.h"
#include "train/catalog.h"

namespace bf::fuzz {

void lines(std::string_view bytes) {
  static const std::vector<CatalogEntry> known = catalog();
  constexpr std::array<std::string_view, 5> names{"trec", "r8", "emotion", "sst_kim", "sst2"};
  const std::string_view name = names[static_cast<Index>(choice(bytes, names.size()))];
  const std::string path = memory_file(bytes);
  for (const CatalogEntry& entry : known) {
    if (entry.name == name) read_rows(path, [&] { return open_rows(entry, path); });
  }
}

}  // namespace bf::fuzz
