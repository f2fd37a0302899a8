#include "tensor/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tensor/flops.h"
#include "tensor/kernels.h"
#include "tensor/parallel.h"
#include "tensor/profile.h"
#include "tensor/require.h"
#include "tensor/tile_product.h"

namespace bf {
namespace {

/// Tile extents: a tile of scores (64 x 128 floats, 32 KiB) and the keys and values it meets stay
/// in the first two cache levels.
constexpr Index query_tile = 64, key_tile = 128;

Index whole_vectors(Index count) {
  const Index lanes = tile_lanes();
  return (count + lanes - 1) / lanes * lanes;
}

/// Scratch of one thread, kept between calls so that no task allocates; aligned to a cache line.
Real* scratch(Index count) {
  constexpr Index line = 64;
  thread_local std::vector<Real> buffer;
  const Index bytes = count * sizeof(Real);
  if (buffer.size() * sizeof(Real) < bytes + line) buffer.resize(count + line);
  void* start = buffer.data();
  Index space = buffer.size() * sizeof(Real);
  return static_cast<Real*>(std::align(line, bytes, start, space));
}

/// The tiles that one head is computed in. Rows of d values are copied next to each other and
/// filled up with zeros to whole vectors: in qkv their distance is often a multiple of a large
/// power of two bytes, and such rows evict each other from the first cache.
class Workspace {
 public:
  Workspace(Index length, Index d) : width(whole_vectors(d)), d_(d) {
    constexpr Index score_tile = query_tile * key_tile;
    Real* next = scratch(2 * score_tile + (4 * key_tile + 2 * query_tile) * width +
                         2 * whole_vectors(length));
    const auto take = [&next](Index count) { return std::exchange(next, next + count); };
    scores = take(score_tile), slopes = take(score_tile);
    keys = take(key_tile * width), product_ = take(key_tile * width);
    keys_t = take(key_tile * width), values_t = take(key_tile * width);
    queries = take(query_tile * width), up = take(query_tile * width);
    per_row[0] = take(whole_vectors(length)), per_row[1] = take(whole_vectors(length));
  }
  ~Workspace() { count_flops(FlopKind::attention, operations_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  ConstMatrix pack(const Real* from, Index rows, Index stride, Real* to) const {
    for (Index i = 0; i < rows; ++i) {
      const Real* source = from + i * stride;
      Real* row = to + i * width;
      for (Index j = 0; j < d_; ++j) row[j] = source[j];
      for (Index j = d_; j < width; ++j) row[j] = 0;
    }
    return {to, rows, width, width};
  }

  /// scale rows keys^T, where keys_t holds the transpose: [rows, keys rounded up to vectors].
  Matrix score(Real scale, const ConstMatrix& rows, const Real* keys_t_tile, Index key_count,
               Real* to) {
    const Index padded = whole_vectors(key_count);
    const Matrix result(to, rows.rows, padded, padded);
    tile_product(scale, {rows.data, rows.rows, d_, rows.stride}, {keys_t_tile, d_, padded, padded},
                 false, result);
    operations_ += 2 * rows.rows * key_count * d_;
    return {to, rows.rows, key_count, padded};
  }

  /// to (+)= scale a b, with b packed and `to` [rows, d] anywhere.
  void combine(Real scale, const ConstMatrix& a, const ConstMatrix& b, bool add, Real* to,
               Index to_stride) {
    operations_ += 2 * a.rows * a.cols * d_;
    if (width == d_) return tile_product(scale, a, b, add, {to, a.rows, d_, to_stride});
    tile_product(scale, a, b, false, {product_, a.rows, width, width});
    for (Index i = 0; i < a.rows; ++i) {
      Real* row = to + i * to_stride;
      if (add)
        add_row(d_, row, product_ + i * width, row);
      else
        std::copy_n(product_ + i * width, d_, row);
    }
  }

  Index width;  ///< d in whole vectors
  Real *scores, *slopes, *keys, *keys_t, *values_t, *queries, *up;
  Real* per_row[2];  ///< two values for every token of the sequence

 private:
  Index d_;
  Real* product_;
  std::uint64_t operations_ = 0;
};

Real score_scale(Index width) { return Real(1) / std::sqrt(static_cast<Real>(width)); }

/// Folds one tile of scores into the running softmax of its rows: scores become exp(s - max),
/// earlier output and sum are rescaled to the new maximum. On the first tile there is no earlier.
void fold_scores(const Matrix& scores, bool first_tile, Index width, Real* maximum, Real* sum,
                 Real* out, Index out_stride) {
  for (Index i = 0; i < scores.rows; ++i) {
    const Real before = first_tile ? std::numeric_limits<Real>::lowest() : maximum[i];
    const PartialSoftmax part =
        softmax_part_row(scores.cols, before, scores.data + i * scores.stride);
    Real earlier = 0;
    if (!first_tile) {
      const Real rescale = std::exp(before - part.maximum);
      earlier = sum[i] * rescale;
      if (rescale != 1) scale_row(width, rescale, out + i * out_stride, out + i * out_stride);
    }
    sum[i] = earlier + part.sum;
    maximum[i] = part.maximum;
  }
}

/// Head h of a sequence in the packed layout described in the header.
HeadView packed_head(const Real* qkv, Index begin, Index length, Index head, Index heads, Index d) {
  const Index stride = 3 * heads * d;
  const Real* q = qkv + begin * stride + 3 * head * d;
  return {q, q + d, q + 2 * d, stride, length, d};
}

/// Calls body(sequence, head) for every pair. A pair is a task of its own; which thread runs it
/// changes nothing, since no two write the same values.
template <typename Body>
void for_each_head(const Segments& segments, Index heads, Body body) {
  const Index pairs = segments.count() * heads;
  const Index mean_length = segments.count() ? segments.tokens() / segments.count() : 1;
  const Index block = std::max<Index>(1, 1024 / std::max<Index>(1, mean_length * mean_length / 64));
  parallel_for(pairs, std::min(block, heads), [&](Index first, Index last) {
    for (Index pair = first; pair < last; ++pair) body(pair / heads, pair % heads);
  });
}

void check(const Tensor& qkv, const Segments& segments, Index heads) {
  require(qkv.rank() == 2 && heads > 0 && qkv.dim(1) % (3 * heads) == 0,
          "attention: expected qkv [tokens, 3 * heads * d], got ", qkv.shape(), " for ", heads,
          " heads");
  require(qkv.dim(0) == segments.tokens(), "attention: ", qkv.dim(0), " rows do not match ",
          segments.tokens(), " tokens");
}

}  // namespace

void attend_head(const HeadView& head, Real* out, Index out_stride, Real* log_sum_exp,
                 Index lse_stride) {
  const Index d = head.width, n = head.length, stride = head.stride;
  Workspace work(n, d);
  Real *maximum = work.per_row[0], *sum = work.per_row[1];
  for (Index key = 0; key < n; key += key_tile) {
    const Index keys = std::min(key_tile, n - key);
    transpose_tile({head.k + key * stride, keys, d, stride}, work.keys_t, whole_vectors(keys));
    const ConstMatrix v = work.pack(head.v + key * stride, keys, stride, work.keys);
    for (Index first = 0; first < n; first += query_tile) {
      const Index rows = std::min(query_tile, n - first);
      const ConstMatrix q(head.q + first * stride, rows, d, stride);
      const Matrix p = work.score(score_scale(d), q, work.keys_t, keys, work.scores);
      Real* to = out + first * out_stride;
      fold_scores(p, key == 0, d, maximum + first, sum + first, to, out_stride);
      work.combine(1, {p.data, rows, keys, p.stride}, v, key > 0, to, out_stride);
    }
  }
  for (Index i = 0; i < n; ++i) {
    scale_row(d, 1 / sum[i], out + i * out_stride, out + i * out_stride);
    if (log_sum_exp != nullptr) log_sum_exp[i * lse_stride] = maximum[i] + std::log(sum[i]);
  }
}

void attend_head_backward(const HeadView& head, const Real* g, const Real* out, Index out_stride,
                          const Real* log_sum_exp, Index lse_stride, const HeadGradient& d_head) {
  const Index d = head.width, n = head.length, stride = head.stride;
  Workspace work(n, d);
  const Real scale = score_scale(d);
  Real* delta = work.per_row[0];
  for (Index i = 0; i < n; ++i) delta[i] = dot_row(d, g + i * out_stride, out + i * out_stride);
  for (Index key = 0; key < n; key += key_tile) {
    const Index keys = std::min(key_tile, n - key), padded = whole_vectors(keys);
    const ConstMatrix k = work.pack(head.k + key * stride, keys, stride, work.keys);
    transpose_tile({head.k + key * stride, keys, d, stride}, work.keys_t, padded);
    transpose_tile({head.v + key * stride, keys, d, stride}, work.values_t, padded);
    for (Index first = 0; first < n; first += query_tile) {
      const Index rows = std::min(query_tile, n - first);
      const ConstMatrix q = work.pack(head.q + first * stride, rows, stride, work.queries);
      const ConstMatrix up = work.pack(g + first * out_stride, rows, out_stride, work.up);
      const Matrix p = work.score(scale, q, work.keys_t, keys, work.scores);
      const Matrix ds = work.score(1, up, work.values_t, keys, work.slopes);
      for (Index i = 0; i < rows; ++i) {
        softmax_slope_row(keys, log_sum_exp[(first + i) * lse_stride], delta[first + i],
                          p.data + i * padded, ds.data + i * padded);
      }
      const ConstMatrix p_tile(p.data, rows, keys, padded), ds_tile(ds.data, rows, keys, padded);
      work.combine(1, p_tile.t(), up, first > 0, d_head.dv + key * stride, stride);
      work.combine(scale, ds_tile.t(), q, first > 0, d_head.dk + key * stride, stride);
      work.combine(scale, ds_tile, k, key > 0, d_head.dq + first * stride, stride);
    }
  }
}

Attention attention_forward(const Tensor& qkv, const Segments& segments, Index heads) {
  const ProfileScope scope(WorkKind::attention);
  check(qkv, segments, heads);
  const Index tokens = qkv.dim(0), d = qkv.dim(1) / (3 * heads), width = heads * d;
  Attention result{Tensor({tokens, width}), Tensor({tokens, heads})};
  for_each_head(segments, heads, [&](Index b, Index h) {
    const Index begin = segments.begin(b);
    attend_head(packed_head(qkv.data(), begin, segments.length(b), h, heads, d),
                result.out.data() + begin * width + h * d, width,
                result.log_sum_exp.data() + begin * heads + h, heads);
  });
  return result;
}

Tensor attention_backward(const Tensor& qkv, const Attention& saved, const Tensor& g,
                          const Segments& segments, Index heads) {
  const ProfileScope scope(WorkKind::attention);
  check(qkv, segments, heads);
  require(g.shape() == saved.out.shape() && g.dim(0) == qkv.dim(0) && 3 * g.dim(1) == qkv.dim(1),
          "attention: expected a gradient ", Shape{qkv.dim(0), qkv.dim(1) / 3}, ", got ",
          g.shape());
  const Index d = qkv.dim(1) / (3 * heads), width = heads * d;
  Tensor d_qkv(qkv.shape());
  for_each_head(segments, heads, [&](Index b, Index h) {
    const Index begin = segments.begin(b), at = begin * width + h * d;
    Real* dq = d_qkv.data() + begin * 3 * width + 3 * h * d;
    attend_head_backward(packed_head(qkv.data(), begin, segments.length(b), h, heads, d),
                         g.data() + at, saved.out.data() + at, width,
                         saved.log_sum_exp.data() + begin * heads + h, heads,
                         {dq, dq + d, dq + 2 * d});
  });
  return d_qkv;
}

}  // namespace bf
