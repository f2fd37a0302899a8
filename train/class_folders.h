#pragma once

#include <string>
#include <vector>

#include "train/encoding.h"
#include "train/rows.h"

namespace bf {

/// One folder per class, one file per text; the label is the folder's name. The tree stands on disk
/// or in a tar archive (plain or .gz), and both give the same rows in the same order: by class,
/// then by file name.
class ClassFolders : public RowReader {
 public:
  /// `path`: the folder that holds the class folders, or an archive; in an archive a file belongs
  /// to the class of the last folder before its name. With `classes`, other folders are ignored.
  /// Throws std::runtime_error if there is no text.
  ClassFolders(const std::string& path, const std::vector<std::string>& classes, Encoding encoding);

  /// Throws BadRow for a text that is not valid UTF-8, with its line, and for such a class.
  bool next(Row& row) override;
  /// The file's path; "archive: path inside" for an archive.
  std::string place() const override;

 private:
  struct Text {
    std::string label;
    std::string name;     // file name
    std::string path;     // whole path, or path in the archive
    std::string content;  // read at once from an archive, else on its turn
  };
  void list_folder(const std::vector<std::string>& classes);
  void list_archive(const std::vector<std::string>& classes);

  std::string path_;
  Encoding encoding_;
  bool archive_ = false;
  std::vector<Text> texts_;
  Index next_ = 0;
};

}  // namespace bf
