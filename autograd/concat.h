#pragma once

#include <vector>

#include "autograd/tape.h"

namespace bf {

/// Parts side by side: y = [part_0 | part_1 | ...].
///   part_i [rows, cols_i]   y [rows, sum of cols_i]
/// Backward, with g = dL/dy: dL/dpart_i is its columns of g.  Saved: nothing.
/// Throws std::invalid_argument without parts, or naming the first whose rows differ.
Variable concat_cols(const std::vector<Variable>& parts);

/// Parts below one another.   part_i [rows_i, cols]   y [sum of rows_i, cols]
Variable concat_rows(const std::vector<Variable>& parts);

}  // namespace bf
