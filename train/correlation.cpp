#include "train/correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tensor/require.h"

namespace bf {

std::vector<double> mean_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    // The places first .. last - 1 have the ranks first + 1 .. last.
    const double rank = static_cast<double>(first + 1 + last) / 2;
    for (; first < last; ++first) ranks[order[first]] = rank;
  }
  return ranks;
}

std::optional<double> spearman(const std::vector<double>& x, const std::vector<double>& y) {
  require(x.size() == y.size(), "spearman: ", x.size(), " values do not match ", y.size());
  const std::vector<double> a = mean_ranks(x), b = mean_ranks(y);
  const double middle = static_cast<double>(a.size() + 1) / 2;
  double both = 0, a_squares = 0, b_squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - middle) * (b[i] - middle);
    a_squares += (a[i] - middle) * (a[i] - middle);
    b_squares += (b[i] - middle) * (b[i] - middle);
  }
  if (a_squares == 0 || b_squares == 0) return std::nullopt;
  return both / std::sqrt(a_squares * b_squares);
}

}  // namespace bf
