#pragma once

#include <string>

#include "tensor/tensor.h"

namespace bf {

/// out = beta out + sum over the rows of x.   x [rows, cols]   out [cols]
/// Fixed blocks of rows are added in order; beta = 0 never reads out.
/// Throws std::invalid_argument when out does not have one value per column.
void add_column_sums(const Tensor& x, Real beta, Tensor& out);

/// Sum and sum of squares of all values, in double over fixed blocks: finite floats have a finite
/// sum of squares, however large they are.
double sum_of(const Tensor& x);
double sum_of_squares(const Tensor& x);
/// Sum of (x / unit)^2, in double throughout: with the largest magnitude as the unit nothing leaves
/// the range of a double.
double sum_of_squares(const Tensor& x, double unit);
/// Largest |x|, 0 without values; values that are NaN are passed over.
double largest_magnitude(const Tensor& x);

/// Position of the first value that is NaN or infinite, or size() if there is none.
Index first_non_finite(const Tensor& x);
/// "nan", "inf" or "-inf"; "finite" for other values. A NaN's sign, which streams print, means
/// nothing.
const char* non_finite_kind(double value);
/// "[4, 8] has nan at element 3" (or inf, -inf) of that value; empty if there is none.
std::string non_finite_text(const Tensor& x);

}  // namespace bf
