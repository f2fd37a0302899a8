#include "train/csv.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/random.h"
#include "tests/temp_folder.h"

using namespace bf;

namespace {

using Fields = std::vector<std::string>;
using Records = std::vector<Fields>;

/// All records; a BadRow becomes a record that holds its message without the path.
Records read(const TempFolder& folder, const std::string& text, CsvFormat format = {}) {
  const std::string path = folder.write("a.csv", text);
  CsvReader reader(path, format, Encoding::utf8);
  Records records;
  Fields fields;
  for (;;) {
    try {
      if (!reader.next(fields)) return records;
      records.push_back(fields);
    } catch (const BadRow& error) {
      records.push_back({std::string(error.what()).substr(path.size())});
    }
  }
}

std::string failure(const TempFolder& folder, const std::string& text) {
  try {
    read(folder, text);
  } catch (const std::runtime_error& error) {
    return std::string(error.what()).substr(folder.path("a.csv").size());
  }
  return "";
}

const CsvColumns three{"1", {"2", "3"}, "", false, 3};

}  // namespace

TEST_CASE("csv: quotes, doubled quotes, empty fields") {
  const TempFolder folder;
  CHECK(read(folder, "1,\"a, b\",c\n\"\",,\"say \"\"hi\"\"\"\n") ==
        Records{{"1", "a, b", "c"}, {"", "", "say \"hi\""}});
  CHECK(read(folder, "a,b\"c\",d") == Records{{"a", "b\"c\"", "d"}});
  CHECK(read(folder, "a,\n,") == Records{{"a", ""}, {"", ""}});
}

TEST_CASE("csv: a backslash means nothing, also before a closing quote") {
  const TempFolder folder;
  CHECK(read(folder, "\"grid.\\\"\n\"Two\\\\lines\"\n") == Records{{"grid.\\"}, {"Two\\\\lines"}});
}

TEST_CASE("csv: records as AG News has them come byte for byte") {
  const TempFolder folder;
  const Records records = read(folder,
                               "\"4\",\"Grid\",\"of the power grid.\\\"\n"
                               "\"3\",\"Say \"\"hi\"\"\",\"a, b\\nc\"\n"
                               "\"1\",\"Two\\\\lines\",\"x\\$7.7 #39;s &lt;b&gt;\"\n");
  CHECK(records == Records{{"4", "Grid", "of the power grid.\\"},
                           {"3", "Say \"hi\"", "a, b\\nc"},
                           {"1", "Two\\\\lines", "x\\$7.7 #39;s &lt;b&gt;"}});
}

TEST_CASE("csv: what a writer quotes comes back, whatever is in it") {
  const TempFolder folder;
  const std::string alphabet = "a\"\"\",,\n\n\\\\ 1;'&\t";
  const RandomStream random{3, 81};
  Records records;
  std::string text;
  for (Index r = 0, draw = 0; r < 300; ++r) {
    records.emplace_back();
    for (Index field = 0; field < 1 + r % 4; ++field) {
      std::string value, quoted;
      for (Index i = random.word(draw++) % 12; i > 0; --i) {
        const char c = alphabet[random.word(draw++) % alphabet.size()];
        value += c;
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
      }
      text += (field > 0 ? ",\"" : "\"") + quoted + '"';
      records.back().push_back(value);
    }
    text += r % 3 ? "\n" : "\r\n";
  }
  CHECK(read(folder, text) == records);
}

TEST_CASE("csv: a file cut anywhere has its whole records, then an error that names a line") {
  const TempFolder folder;
  const std::string text = "\"1\",\"a, b\nc\"\n2,\"say \"\"hi\"\"\"\n\"3\",\"d\"\n";
  const Records whole = read(folder, text);
  REQUIRE(whole.size() == 3);
  for (Index length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    const std::string part = text.substr(0, length), error = failure(folder, part);
    const Index ended = length >= 13 ? (length >= 28 ? 2 : 1) : 0;
    if (!error.empty()) {
      CHECK(error.rfind(": the quote that begins a field here is never closed") == 2);
      continue;
    }
    const Records records = read(folder, part);
    REQUIRE(records.size() >= ended);
    for (Index i = 0; i < ended; ++i) CHECK(records[i] == whole[i]);
    CHECK(records.size() <= ended + 1);
  }
}

TEST_CASE("csv: line breaks of both kinds inside quotes") {
  const TempFolder folder;
  CHECK(read(folder, "\"a\nb\",1\r\n\"c\r\n\r\nd\",2\r\n") ==
        Records{{"a\nb", "1"}, {"c\n\nd", "2"}});
}

TEST_CASE("csv: the place of a record is the line where it begins") {
  const TempFolder folder;
  CsvReader reader(folder.write("a.csv", "a\n\n\"b\nc\"\nd\n"), {}, Encoding::utf8);
  Fields fields;
  for (const char* line : {":1", ":3", ":5"}) {
    CHECK(reader.next(fields));
    CHECK(reader.place() == folder.path("a.csv") + line);
  }
}

TEST_CASE("csv: a quote that is never closed is an error with the line of its field") {
  const TempFolder folder;
  const std::string rule = ": the quote that begins a field here is never closed";
  CHECK(failure(folder, "a,b\n\"c\",\"d\ne\nf\n") == ":2" + rule);
  // The record begins in line 1, the open field in line 2.
  CHECK(failure(folder, "\"a\nb\",\"c\nd\n") == ":2" + rule);
  CHECK(failure(folder, "\"") == ":1" + rule);
}

TEST_CASE("csv: text after a closing quote is a bad row, and the next row is read") {
  const TempFolder folder;
  CHECK(read(folder, "a,\"b\"c,d\ne,f\n") ==
        Records{{":1: text after a closing quote at column 6: \"c,d\""}, {"e", "f"}});
}

TEST_CASE("csv: invalid UTF-8 is a bad row, and the rest of a quoted field is passed over") {
  const TempFolder folder;
  CHECK(read(folder, "\"a\nb\xff\nc\",d\ne,f\n") ==
        Records{{":2: invalid UTF-8 byte 0xff at column 2; pass --encoding"}, {"e", "f"}});
}

TEST_CASE("csv: without quoting a quote is a character") {
  const TempFolder folder;
  CHECK(read(folder, "\"a\tb\"\n", {'\t', false}) == Records{{"\"a", "b\""}});
}

TEST_CASE("csv: rows take label and texts from their columns") {
  const TempFolder folder;
  CsvRows rows(folder.write("a.csv", "4,Title,Text\n"), {}, three, Encoding::utf8);
  Row row;
  CHECK(rows.next(row));
  CHECK(row.label == "4");
  CHECK(row.text == "Title Text");
  CHECK(row.second == "");
  CHECK_FALSE(rows.next(row));
}

TEST_CASE("csv: columns by name, in any order, with a second sentence") {
  const TempFolder folder;
  const CsvColumns columns{"label", {"premise"}, "hypothesis", true};
  CsvRows rows(folder.write("a.tsv", "hypothesis\tlabel\tpremise\nb\tyes\ta\n"), {'\t', false},
               columns, Encoding::utf8);
  Row row;
  CHECK(rows.next(row));
  CHECK(row.label == "yes");
  CHECK(row.text == "a");
  CHECK(row.second == "b");
}

TEST_CASE("csv: a header with another number of columns than asked is refused") {
  const TempFolder folder;
  CsvColumns columns{"label", {"a"}, "", true, 3};
  const std::string path = folder.write("a.csv", "x,y,z,label,a\n1,2,3\n");
  CHECK_THROWS_WITH_AS(CsvRows(path, {}, columns, Encoding::utf8),
                       (path + ":1: expected 3 columns, got 5").c_str(), std::runtime_error);
  columns.count = 5;
  CHECK_NOTHROW(CsvRows(path, {}, columns, Encoding::utf8));
}

TEST_CASE("csv: a column that is asked for may not stand in the header twice") {
  const TempFolder folder;
  const std::string path = folder.write("a.csv", "text,other,text,label,other\n1,2,3,4,5\n");
  const CsvColumns columns{"label", {"text"}, "", true};
  CHECK_THROWS_WITH_AS(CsvRows(path, {}, columns, Encoding::utf8),
                       (path + ":1: two columns are named \"text\"").c_str(), std::runtime_error);
  CHECK_NOTHROW(CsvRows(path, {}, {"label", {"3"}, "", true}, Encoding::utf8));
}

TEST_CASE("csv: a wrong number of columns is a bad row with its line") {
  const TempFolder folder;
  const std::string path = folder.write("a.csv", "1,a,b\n2,c\n3,d,e\n");
  CsvRows rows(path, {}, three, Encoding::utf8);
  Row row;
  CHECK(rows.next(row));
  CHECK_THROWS_WITH_AS(rows.next(row), (path + ":2: expected 3 columns, got 2").c_str(), BadRow);
  CHECK(rows.next(row));
  CHECK(row.label == "3");
}

TEST_CASE("csv: a column that is not there is an error that lists those that are") {
  const TempFolder folder;
  const std::string path = folder.write("a.csv", "label,text\n1,a\n");
  const CsvColumns named{"label", {"body"}, "", true};
  CHECK_THROWS_WITH_AS(CsvRows(path, {}, named, Encoding::utf8),
                       (path + ":1: no column \"body\"; the columns are label, text").c_str(),
                       std::runtime_error);
  CsvRows rows(path, {}, CsvColumns{"1", {"3"}, "", false}, Encoding::utf8);
  Row row;
  CHECK_THROWS_WITH_AS(rows.next(row), (path + ":1: no column \"3\"; the columns are 1..2").c_str(),
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(CsvRows(folder.write("b.csv", ""), {}, named, Encoding::utf8),
                       (folder.path("b.csv") + ": the file is empty").c_str(), std::runtime_error);
}

TEST_CASE("csv: a record of very many fields is a bad row, and the next row is read") {
  const TempFolder folder;
  std::string commas(10'000, ',');
  CHECK(read(folder, commas + "\n1,2\n") == Records{{":1: more than 10000 fields"}, {"1", "2"}});
  commas.pop_back();
  CHECK(read(folder, commas + "\n")[0].size() == 10'000);
}

TEST_CASE("csv: a record of many lines is limited as a whole, not only in each of its fields") {
  const TempFolder folder;
  std::string text;
  // A thousand fields on as many lines, none of them long.
  for (int i = 0; i < 1000; ++i) text += "\"" + std::string(20'000, 'x') + "\n\",";
  CHECK(failure(folder, text) ==
        ":838: with the field that begins here the record of line 1 has more than 16777216 bytes; "
        "is a quote missing?");
}

TEST_CASE("csv: a record of two lines may have 16 MiB, the last of them too, and not a byte more") {
  const TempFolder folder;
  const std::string first(100, 'x');
  // Both quotes, the line break between them and the first line leave so many.
  const std::string rest(longest_record_bytes - first.size() - 3, 'y');
  CHECK(read(folder, "\"" + first + "\n" + rest + "\"\n1,2\n") ==
        Records{{first + "\n" + rest}, {"1", "2"}});
  const std::string error = failure(folder, "\"" + first + "\n" + rest + "y\"\n1,2\n");
  CHECK(error.starts_with(":1: with the field that begins here the record of line 1 has more"));
  // One line of that length is no longer either.
  const std::string line(longest_record_bytes, 'z');
  CHECK(read(folder, line) == Records{{line}});
}

TEST_CASE("csv: an error shows the beginning of a header and of what stands in it") {
  const TempFolder folder;
  std::string header = "a\x1b[31m,";
  for (int i = 0; i < 40; ++i) header += std::string(100, 'x') + ",";
  try {
    CsvRows(folder.write("a.csv", header), {}, {"label", {"text"}, "", true}, Encoding::utf8);
    FAIL("it was read");
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    CHECK(text.find("the columns are a [31m, " + std::string(60, 'x') + "..., ") !=
          std::string::npos);
    CHECK(text.ends_with(", ..."));
    CHECK(text.size() < 2500);
  }
}
