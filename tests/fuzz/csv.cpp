// CSV and TSV: any delimiter, with and without quotes and header, both encodings.

#include "train/csv.h"

#include "tests/fuzz/rows.h"

namespace bf::fuzz {

void csv(std::string_view bytes) {
  const int way = choice(bytes, 32);
  const CsvFormat format{(way & 1) != 0 ? '\t' : ',', (way & 2) == 0};
  const bool header = (way & 4) != 0;
  const Encoding encoding = (way & 8) != 0 ? Encoding::latin1 : Encoding::utf8;
  CsvColumns columns{"1", {"2"}, "", header};
  if (header) columns.label = "label", columns.text = {"a", "3"}, columns.second = "b";
  if ((way & 16) != 0) columns.count = 3;
  const std::string path = memory_file(bytes);
  read_rows(path, [&] { return std::make_unique<CsvRows>(path, format, columns, encoding); });
}

}  // namespace bf::fuzz
