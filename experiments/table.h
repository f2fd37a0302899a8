#pragma once

#include <string>
#include <vector>

namespace bf {

/// Rows of cells as text with aligned columns: the first column to the left, the others to the
/// right; a rule under the first row. Every row has as many cells as the first, else
/// std::invalid_argument. Cells are made printable(): names of classes come from files.
std::string table(std::vector<std::vector<std::string>> rows);

/// `value` with so many digits after the point.
std::string fixed_digits(double value, int digits);

}  // namespace bf
