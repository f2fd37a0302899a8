#pragma once

#include "tensor/tensor.h"

namespace bf {

/// out = beta out + sum over the rows of x.   x [rows, cols]   out [cols]
/// Fixed blocks of rows are added in order; beta = 0 never reads out.
/// Throws std::invalid_argument when out does not have one value per column.
void add_column_sums(const Tensor& x, Real beta, Tensor& out);

/// Sum and sum of squares of all values, in double over fixed blocks.
double sum_of(const Tensor& x);
double sum_of_squares(const Tensor& x);

/// Position of the first value that is NaN or infinite, or size() if there is none.
Index first_non_finite(const Tensor& x);

}  // namespace bf
