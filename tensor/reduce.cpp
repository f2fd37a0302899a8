#include "tensor/reduce.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/kernels.h"
#include "tensor/parallel.h"
#include "tensor/profile.h"
#include "tensor/require.h"

namespace bf {
namespace {

constexpr Index block = 8192;

/// Sum of term(x[i]) over [first, last), one value at a time in double.
template <typename Term>
double slow_sum(const Tensor& x, Index first, Index last, Term term) {
  double sum = 0;
  for (Index i = first; i < last; ++i) sum += term(static_cast<double>(x[i]));
  return sum;
}

}  // namespace

void add_column_sums(const Tensor& x, Real beta, Tensor& out) {
  const ProfileScope scope(WorkKind::elementwise, x.size() * sizeof(Real));
  require(x.rank() >= 1 && out.size() == x.row_size(), "column sums: expected an output of ",
          x.row_size(), " values for ", x.shape(), ", got ", out.shape());
  constexpr Index rows = 256;
  const Index cols = out.size(), blocks = block_count(x.dim(0), rows);
  Tensor partial = Tensor::zeros({blocks, cols});
  parallel_for(x.dim(0), rows, [&](Index first, Index last) {
    Real* sums = partial.row(first / rows);
    for (Index r = first; r < last; ++r) add_row(cols, x.row(r), sums, sums);
  });
  for (Index j = 0; j < cols; ++j) out[j] = beta == 0 ? 0 : beta * out[j];
  for (Index b = 0; b < blocks; ++b) add_row(cols, partial.row(b), out.data(), out.data());
}

double sum_of(const Tensor& x) {
  const ProfileScope scope(WorkKind::elementwise, x.size() * sizeof(Real));
  return blocked_sum(x.size(), block, [&](Index first, Index last) {
    const Real sum = sum_row(last - first, x.data() + first);
    if (std::isfinite(sum)) return static_cast<double>(sum);
    return slow_sum(x, first, last, [](double v) { return v; });
  });
}

double sum_of_squares(const Tensor& x) {
  const ProfileScope scope(WorkKind::elementwise, x.size() * sizeof(Real));
  return blocked_sum(x.size(), block, [&](Index first, Index last) {
    const Real sum = dot_row(last - first, x.data() + first, x.data() + first);
    if (std::isfinite(sum)) return static_cast<double>(sum);
    return slow_sum(x, first, last, [](double v) { return v * v; });
  });
}

double sum_of_squares(const Tensor& x, double unit) {
  return blocked_sum(x.size(), block, [&](Index first, Index last) {
    return slow_sum(x, first, last, [unit](double v) { return v / unit * (v / unit); });
  });
}

double largest_magnitude(const Tensor& x) {
  std::vector<double> partial(block_count(x.size(), block));
  parallel_for(x.size(), block, [&](Index first, Index last) {
    double& largest = partial[first / block];
    for (Index i = first; i < last; ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(x[i])));
    }
  });
  return partial.empty() ? 0 : *std::max_element(partial.begin(), partial.end());
}

Index first_non_finite(const Tensor& x) {
  for (Index first = 0; first < x.size(); first += block) {
    const Index last = std::min(first + block, x.size());
    // A NaN or an infinity never leaves a finite sum: one fast pass clears most blocks.
    if (std::isfinite(sum_row(last - first, x.data() + first))) continue;
    for (Index i = first; i < last; ++i) {
      if (!std::isfinite(x[i])) return i;
    }
  }
  return x.size();
}

const char* non_finite_kind(double value) {
  if (std::isfinite(value)) return "finite";
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string non_finite_text(const Tensor& x) {
  const Index at = first_non_finite(x);
  if (at == x.size()) return "";
  return join_parts(x.shape(), " has ", non_finite_kind(static_cast<double>(x[at])), " at element ",
                    at);
}

}  // namespace bf
