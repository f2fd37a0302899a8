#include "experiments/table.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "tensor/printable.h"
#include "tensor/require.h"

namespace bf {

std::string table(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(rows.front().size());
    require(row.size() == widths.size(), "table: a row has ", row.size(), " cells, the first has ",
            widths.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::ostringstream text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      text << (i ? "  " : "") << (i ? std::right : std::left)
           << std::setw(static_cast<int>(widths[i])) << rows[r][i];
    }
    text << '\n';
    if (r > 0) continue;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      text << (i ? "  " : "") << std::string(widths[i], '-');
    }
    text << '\n';
  }
  return text.str();
}

std::string fixed_digits(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

}  // namespace bf
