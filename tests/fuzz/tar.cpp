// A tar archive of class folders, plain or gzip.

#include "train/tar.h"

#include "tests/fuzz/rows.h"
#include "train/class_folders.h"

namespace bf::fuzz {

void tar(std::string_view bytes) {
  const Encoding encoding = choice(bytes, 2) == 1 ? Encoding::latin1 : Encoding::utf8;
  const std::string path = memory_file(bytes);
  refused_well(path, [&] {
    TarReader archive(path);
    for (std::string name, content; archive.next(name, content);) {
      expect(content.size() <= longest_record_bytes, "a file of ", content.size(), " bytes");
    }
  });
  read_rows(path, [&] {
    return std::make_unique<ClassFolders>(path, std::vector<std::string>{}, encoding);
  });
}

}  // namespace bf::fuzz
