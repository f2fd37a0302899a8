#pragma once

#include <optional>
#include <vector>

namespace bf {

/// Ranks from 1; equal values share the mean of the ranks that they take up.
std::vector<double> mean_ranks(const std::vector<double>& values);

/// Spearman's rank correlation in [-1, 1]: Pearson's correlation of the mean ranks. None where it
/// is not defined: fewer than two pairs, or one side is constant. Throws std::invalid_argument when
/// the counts differ.
std::optional<double> spearman(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace bf
