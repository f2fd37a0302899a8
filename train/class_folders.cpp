#include "train/class_folders.h"

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

#include "tensor/require.h"
#include "train/tar.h"

namespace bf {
namespace {

namespace fs = std::filesystem;

bool wanted(const std::string& label, const std::vector<std::string>& classes) {
  return classes.empty() || std::find(classes.begin(), classes.end(), label) != classes.end();
}

}  // namespace

ClassFolders::ClassFolders(const std::string& path, const std::vector<std::string>& classes,
                           Encoding encoding)
    : path_(path), encoding_(encoding) {
  std::error_code ignored;
  archive_ = fs::is_regular_file(path, ignored);
  if (archive_) {
    list_archive(classes);
  } else {
    list_folder(classes);
  }
  require_data(!texts_.empty(), path, ": no texts in class folders here");
  std::sort(texts_.begin(), texts_.end(), [](const Text& a, const Text& b) {
    return std::tie(a.label, a.name, a.path) < std::tie(b.label, b.name, b.path);
  });
}

void ClassFolders::list_folder(const std::vector<std::string>& classes) {
  std::error_code error;
  fs::directory_iterator folders(path_, error);
  require_data(!error, path_, ": cannot open: ", error.message());
  for (const auto& folder : folders) {
    const std::string label = folder.path().filename().string();
    // What cannot be looked at, such as a link to itself, is no folder and no text.
    if (!folder.is_directory(error) || !wanted(label, classes)) continue;
    fs::directory_iterator files(folder.path(), error);
    require_data(!error, folder.path().string(), ": cannot open: ", error.message());
    for (const auto& file : files) {
      if (!file.is_regular_file(error)) continue;
      texts_.push_back({label, file.path().filename().string(), file.path().string(), ""});
    }
  }
}

void ClassFolders::list_archive(const std::vector<std::string>& classes) {
  TarReader tar(path_);
  std::string path, content;
  while (tar.next(path, content)) {
    const fs::path inside(path);
    const std::string label = inside.parent_path().filename().string();
    if (label.empty() || !wanted(label, classes)) continue;
    texts_.push_back({label, inside.filename().string(), path, std::move(content)});
  }
}

std::string ClassFolders::place() const {
  constexpr Index most_shown = 300;
  const std::string& path = texts_[next_ == 0 ? 0 : next_ - 1].path;
  // An archive may name its members at any length.
  return archive_ ? path_ + ": " + shortened(path, most_shown) : path;
}

bool ClassFolders::next(Row& row) {
  if (next_ == texts_.size()) return false;
  Text& text = texts_[next_++];
  if (!archive_) text.content = read_whole_file(text.path);
  row.label = text.label;
  row.text = std::exchange(text.content, std::string());
  row.second.clear();
  if (invalid_utf8_at(row.label) != std::string_view::npos) {
    throw BadRow(join_parts(place(), ": the name of the class is not UTF-8"));
  }
  if (encoding_ == Encoding::latin1) {
    row.text = latin1_to_utf8(row.text);
    return true;
  }
  const Index bad = invalid_utf8_at(row.text);
  if (bad != std::string_view::npos) {
    const std::string_view before = std::string_view(row.text).substr(0, bad);
    const Index line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::string_view rest = std::string_view(row.text).substr(line_begin);
    throw BadRow(join_parts(place(), ":", line, ": ", encoding_problem(rest, bad - line_begin)));
  }
  return true;
}

}  // namespace bf
