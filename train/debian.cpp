#include "train/debian.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>

#include "tensor/require.h"
#include "train/clean_text.h"
#include "train/rows.h"
#include "train/splits.h"
#include "train/text_file.h"

namespace bf {
namespace {

constexpr Index section_count = 20;
constexpr double held_out_fraction = 0.1;
const char* const index_command = "exec env LC_ALL=C apt-cache dumpavail 2>/dev/null";

/// The value if `line` is the field `name`, else empty.
std::string_view value_of(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':') return {};
  if (line.compare(0, name.size(), name) != 0) return {};
  line.remove_prefix(name.size() + 1);
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  return line;
}

/// Why apt-cache gave only a part of its index, or none; empty when it gave all.
std::string failure_of(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return "is not installed; pass --data-dir";
  if (WIFEXITED(status)) return join_parts("failed with exit code ", WEXITSTATUS(status));
  return WIFSIGNALED(status) ? join_parts("was ended by signal ", WTERMSIG(status)) : "failed";
}

std::vector<PackageEntry> packages_from_apt() {
  const auto close = [](FILE* pipe) { pclose(pipe); };
  std::unique_ptr<FILE, decltype(close)> pipe(popen(index_command, "r"), close);
  require_data(pipe != nullptr, "debian: cannot run apt-cache");
  auto packages = parse_packages([&pipe](std::string& line) {
    line.clear();
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
      if (c == '\n') return true;
      require_data(line.size() < longest_record_bytes, "debian: apt-cache: line longer than ",
                   longest_record_bytes, " bytes");
      line.push_back(static_cast<char>(c));
    }
    return !line.empty();
  });
  const std::string failure = failure_of(pclose(pipe.release()));
  require_data(failure.empty(), "debian: apt-cache ", failure);
  return packages;
}

std::vector<PackageEntry> packages_from(const std::string& path) {
  std::error_code ignored;
  std::string file = path;
  if (std::filesystem::is_directory(path, ignored)) {
    file = find_file(path, {"Packages"});
    require_data(!file.empty(), path, ": debian expects Packages here (plain or .gz)");
  }
  TextFile lines(file, Encoding::utf8);
  return parse_packages([&lines](std::string& line) { return lines.line(line); });
}

/// Distinct descriptions in alphabetical order; what is not UTF-8 is left out.
std::vector<PackageEntry> distinct_descriptions(std::vector<PackageEntry> packages) {
  std::erase_if(packages, [](PackageEntry& package) {
    for (const std::string& text : {package.description, package.section}) {
      if (invalid_utf8_at(text) != std::string_view::npos) return true;
    }
    package.description = clean_text(package.description);
    return package.description.empty();
  });
  std::sort(packages.begin(), packages.end(), [](const PackageEntry& a, const PackageEntry& b) {
    return std::tie(a.description, a.section) < std::tie(b.description, b.section);
  });
  const auto same_text = [](const PackageEntry& a, const PackageEntry& b) {
    return a.description == b.description;
  };
  packages.erase(std::unique(packages.begin(), packages.end(), same_text), packages.end());
  return packages;
}

/// The most frequent sections, in alphabetical order.
std::vector<std::string> largest_sections(const std::vector<PackageEntry>& packages) {
  std::map<std::string, Index> counts;
  for (const PackageEntry& package : packages) ++counts[package.section];
  std::vector<std::pair<std::string, Index>> by_count(counts.begin(), counts.end());
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  by_count.resize(std::min(by_count.size(), section_count));
  std::vector<std::string> names;
  names.reserve(by_count.size());
  for (const auto& [name, count] : by_count) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<PackageEntry> parse_packages(const std::function<bool(std::string&)>& next_line) {
  std::vector<PackageEntry> packages;
  PackageEntry current;
  const auto finish = [&] {
    if (!current.description.empty() && !current.section.empty()) packages.push_back(current);
    current = {};
  };
  std::string line;
  while (next_line(line)) {
    if (line.empty()) {
      finish();
      continue;
    }
    for (const char* field : {"Description", "Description-en"}) {
      const std::string_view value = value_of(line, field);
      if (!value.empty()) current.description = value;
    }
    const std::string_view section = value_of(line, "Section");
    if (!section.empty()) current.section = section.substr(section.rfind('/') + 1);
  }
  finish();
  return packages;
}

Dataset debian_dataset(const DatasetOptions& options) {
  const bool own = options.data_dir.empty();
  const std::string from = own ? "debian: apt-cache dumpavail" : options.data_dir;
  const auto packages = own ? packages_from_apt() : packages_from(options.data_dir);
  require_data(!packages.empty(), from,
               ": no packages with a description and a section; is there a package index?");
  const Index all = packages.size();
  const auto distinct = distinct_descriptions(packages);
  Dataset data;
  data.name = "debian";
  data.class_names = largest_sections(distinct);
  for (const std::string& name : data.class_names) {
    require_data(name.size() <= longest_label_bytes, from, ": the section \"", shortened(name),
                 "\" has a name of more than ", longest_label_bytes, " bytes");
  }
  for (const PackageEntry& package : distinct) {
    const auto found =
        std::lower_bound(data.class_names.begin(), data.class_names.end(), package.section);
    if (found == data.class_names.end() || *found != package.section) continue;
    Example example;
    example.text = package.description;
    example.label = static_cast<int>(found - data.class_names.begin());
    data.train.push_back(std::move(example));
  }
  data.notes.push_back(join_parts(all, " packages with ", distinct.size(),
                                  " distinct descriptions, ", data.train.size(), " of them in the ",
                                  data.class_names.size(), " largest sections"));
  hold_out(data, held_out_fraction, options.seed);
  complete_splits(data, options);
  return data;
}

}  // namespace bf
