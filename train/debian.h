#pragma once

#include <functional>
#include <string>
#include <vector>

#include "train/dataset.h"

namespace bf {

/// One package of a Debian package index.
struct PackageEntry {
  std::string description;  ///< its first line
  std::string section;      ///< without the component: "contrib/games" -> "games"
};

/// The packages that have a description and a section, from the lines of a Packages file or of
/// `apt-cache dumpavail`: stanzas of "Field: value", parted by empty lines. `next_line` gives one
/// line without its break and returns false at the end.
std::vector<PackageEntry> parse_packages(const std::function<bool(std::string&)>& next_line);

/// One-line package descriptions, to be sorted into the 20 most frequent sections. Read from the
/// machine's own index through apt-cache, or from `data_dir`: a Packages file, plain or .gz, or a
/// folder with one. Of equal descriptions only one stays (the alphabetically first section); of the
/// distinct ones, in alphabetical order, a seeded tenth each becomes validation and test.
///
/// Throws std::runtime_error if there is no index, if apt-cache does not end well (it may have
/// given only a part then), for a line of more than 16 MiB, and if one of the sections has a name
/// of more than 1,000 bytes.
Dataset debian_dataset(const DatasetOptions& options);

}  // namespace bf
