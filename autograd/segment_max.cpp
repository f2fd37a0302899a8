#include "autograd/segment_max.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/elementwise.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// A token's number, as wide as a value: both are then compared and chosen by the same vectors.
using Position =
    std::conditional_t<sizeof(Real) == sizeof(std::int32_t), std::int32_t, std::int64_t>;

/// largest = max(largest, row), where `best` says from which token. A NaN is larger than any
/// number, so that it shows; comparisons with one are false.
void take_larger(Index n, const Real* row, Position token, Real* largest, Position* best) {
  for (Index j = 0; j < n; ++j) {
    const bool keep = row[j] <= largest[j] || largest[j] != largest[j];
    largest[j] = keep ? largest[j] : row[j];
    best[j] = keep ? best[j] : token;
  }
}

}  // namespace

Variable segment_max(const Variable& x, const Segments& segments) {
  require(x.rank() == 2 && x.dim(0) == segments.tokens(), "segment_max: x ", x.shape(),
          " does not have the ", segments.tokens(), " tokens of the segments");
  const Index d = x.dim(1);
  Tensor y({segments.count(), d});
  std::vector<Position> where(y.size());  // token of its sequence that attains y_bj
  over_sequences(segments, d, Arrays{1}, [&](Index b) {
    Position* best = where.data() + b * d;
    std::fill_n(best, d, Position{0});
    std::copy_n(x.value().row(segments.begin(b)), d, y.row(b));
    for (Index t = 1; t < segments.length(b); ++t) {
      take_larger(d, x.value().row(segments.begin(b) + t), static_cast<Position>(t), y.row(b),
                  best);
    }
  });
  return record("segment_max", y, {x},
                [where = std::move(where), segments, dx = x.grad_buffer()](const Tensor& g) {
                  const Index width = g.dim(1);
                  Tensor grad({segments.tokens(), width});
                  over_sequences(segments, width, Arrays{1}, [&](Index b) {
                    std::fill_n(grad.row(segments.begin(b)), segments.length(b) * width, Real(0));
                    for (Index j = 0; j < width; ++j) {
                      const auto token = static_cast<Index>(where[b * width + j]);
                      grad.row(segments.begin(b) + token)[j] = g.row(b)[j];
                    }
                  });
                  dx.add(grad);
                });
}

}  // namespace bf
