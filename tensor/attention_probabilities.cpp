#include "tensor/attention_probabilities.h"

#include <algorithm>
#include <cmath>

#include "tensor/require.h"

namespace bf {

Tensor attention_probabilities(const Tensor& qkv, const Segments& segments, Index heads,
                               Index sequence, Index head) {
  require(heads > 0 && qkv.rank() == 2 && qkv.dim(0) == segments.tokens() &&
              qkv.dim(1) % (3 * heads) == 0,
          "attention_probabilities: qkv ", qkv.shape(), " does not fit ", segments.tokens(),
          " tokens and ", heads, " heads");
  require(sequence < segments.count(), "attention_probabilities: sequence ", sequence,
          " is outside the batch of ", segments.count());
  require(head < heads, "attention_probabilities: head ", head, " is outside the ", heads,
          " heads");
  const Index d = qkv.dim(1) / (3 * heads), n = segments.length(sequence);
  const Index begin = segments.begin(sequence);
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  Tensor result({n, n});
  std::vector<double> row(n);
  for (Index i = 0; i < n; ++i) {
    const Real* q = qkv.row(begin + i) + 3 * head * d;
    for (Index j = 0; j < n; ++j) {
      const Real* k = qkv.row(begin + j) + (3 * head + 1) * d;
      row[j] = 0;
      for (Index c = 0; c < d; ++c) row[j] += static_cast<double>(q[c]) * static_cast<double>(k[c]);
    }
    const double most = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (double& score : row) sum += score = std::exp(scale * (score - most));
    for (Index j = 0; j < n; ++j) result.row(i)[j] = static_cast<Real>(row[j] / sum);
  }
  return result;
}

}  // namespace bf
