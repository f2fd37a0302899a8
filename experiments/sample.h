#pragma once

#include <string>
#include <vector>

#include "tensor/real.h"

// Numbers that describe many numbers. Values that are not finite (not recorded) are left out; where
// nothing is left, the result is NaN.
namespace bf {

double mean_of(const std::vector<double>& values);
/// Standard deviation of the population the values are a sample of (n - 1); NaN below two values.
double deviation_of(const std::vector<double>& values);
/// The value below which a share q of [0, 1] lies, linear between the two nearest.
double quantile(std::vector<double> values, double q);
/// Spearman's rank correlation of the pairs of which both sides are finite; NaN where it is not
/// defined. Throws std::invalid_argument when the counts differ.
double rank_correlation(const std::vector<double>& x, const std::vector<double>& y);

/// "0.913 ± 0.004"; without a deviation that rounds to zero or for one value, "-" for none.
std::string mean_and_deviation(const std::vector<double>& values, int digits, double factor = 1);
/// The value with so many digits, "-" when it is not finite.
std::string digits_or_dash(double value, int digits);
/// The same with a + before what is above zero.
std::string signed_digits(double value, int digits);

/// What y does around one x.
struct Bin {
  double x = 0;                        ///< mean
  double mean = 0, low = 0, high = 0;  ///< of y: mean, quantiles 0.1 and 0.9
  Index count = 0;
};

/// At most `count` bins of about equally many points, in the order of x; equal x stay together.
std::vector<Bin> bins(const std::vector<double>& x, const std::vector<double>& y, Index count);

}  // namespace bf
