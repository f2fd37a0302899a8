#include "train/labelled_lines.h"

#include <utility>

#include "tensor/require.h"

namespace bf {

LabelledLines::LabelledLines(const std::string& path, LineFormat format, Encoding encoding)
    : file_(path, encoding), format_(std::move(format)) {}

bool LabelledLines::next(Row& row) {
  do {
    if (!file_.line(line_)) return false;
  } while (line_.empty() || (file_.line_number() == 1 && line_ == format_.header));
  if (!file_.problem().empty()) throw BadRow(file_.problem());
  const Index cut =
      format_.label_last ? line_.rfind(format_.separator) : line_.find(format_.separator);
  if (cut == std::string::npos) {
    throw BadRow(join_parts(place(), ": no \"", format_.separator, "\" between label and text: \"",
                            shortened(line_, 40), "\""));
  }
  row.label = format_.label_last ? line_.substr(cut + 1) : line_.substr(0, cut);
  row.text = format_.label_last ? line_.substr(0, cut) : line_.substr(cut + 1);
  row.second.clear();
  if (format_.label_end != '\0') {
    row.label.erase(std::min(row.label.find(format_.label_end), row.label.size()));
  }
  return true;
}

}  // namespace bf
