#include "train/labelled_lines.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/temp_folder.h"

using namespace bf;

namespace {

std::vector<std::string> read(const std::string& path, const LineFormat& format,
                              Encoding encoding = Encoding::utf8) {
  LabelledLines lines(path, format, encoding);
  std::vector<std::string> rows;
  for (Row row; lines.next(row);) rows.push_back(row.label + "|" + row.text);
  return rows;
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("labelled_lines: the label comes first, cut at a colon") {
  const TempFolder folder;
  const std::string path = folder.write("TREC", "DESC:manner How is it ?\n\nNUM:count How many\n");
  CHECK(read(path, {' ', false, ':', ""}) == Rows{"DESC|How is it ?", "NUM|How many"});
  CHECK(read(path, {' ', false, '\0', ""})[0] == "DESC:manner|How is it ?");
}

TEST_CASE("labelled_lines: the label comes last, and a header line is passed over") {
  const TempFolder folder;
  const LineFormat format{';', true, '\0', "text;label_name"};
  CHECK(read(folder.write("a", "text;label_name\none; two;joy\n"), format) == Rows{"joy|one; two"});
}

TEST_CASE("labelled_lines: a line without separator and bad UTF-8 are bad rows") {
  const TempFolder folder;
  const std::string path = folder.write("a", "1 caf\xe9\nword\n2 good");
  LabelledLines lines(path, {' ', false, '\0', ""}, Encoding::utf8);
  Row row;
  CHECK_THROWS_WITH_AS(lines.next(row),
                       (path + ":1: invalid UTF-8 byte 0xe9 at column 6; pass --encoding").c_str(),
                       BadRow);
  CHECK_THROWS_WITH_AS(lines.next(row),
                       (path + ":2: no \" \" between label and text: \"word\"").c_str(), BadRow);
  CHECK(lines.next(row));
  CHECK(row.text == "good");
  CHECK(lines.place() == path + ":3");
}

TEST_CASE("labelled_lines: ISO-8859-1 is converted") {
  const TempFolder folder;
  CHECK(read(folder.write("a", "1 caf\xe9\n"), {}, Encoding::latin1) == Rows{"1|café"});
}
