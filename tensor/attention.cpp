#include "tensor/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tensor/gemm.h"
#include "tensor/kernels.h"
#include "tensor/parallel.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// Tile extents: a tile of scores (64 x 128 floats, 32 KiB) and the keys and values it meets stay
/// in the first two cache levels.
constexpr Index query_tile = 64, key_tile = 128;

/// Scratch of one thread, kept between calls so that no task allocates.
Real* scratch(Index count) {
  thread_local std::vector<Real> buffer;
  if (buffer.size() < count) buffer.resize(count);
  return buffer.data();
}

Real score_scale(Index width) { return Real(1) / std::sqrt(static_cast<Real>(width)); }

/// Folds one tile of scores [rows, keys] into the running softmax of its rows: scores become
/// exp(s - max), earlier output and sum are rescaled to the new maximum.
void fold_scores(Real* scores, Index rows, Index keys, Index width, Real* maximum, Real* sum,
                 Real* out, Index out_stride) {
  for (Index i = 0; i < rows; ++i) {
    Real* row = scores + i * keys;
    const Real seen = maximum[i], now = std::max(seen, max_row(keys, row));
    const Real rescale = std::exp(seen - now);  // 0 on the first tile, where seen is -infinity
    sum[i] = sum[i] * rescale + exp_row(keys, row, now, row);
    maximum[i] = now;
    if (rescale != 1 && sum[i] > 0 && seen > -std::numeric_limits<Real>::infinity()) {
      scale_row(width, rescale, out + i * out_stride, out + i * out_stride);
    }
  }
}

void attend_tile(const HeadView& head, Index first, Index rows, Real* out, Index out_stride,
                 Real* log_sum_exp, Index lse_stride) {
  const Index d = head.width;
  Real* scores = scratch(query_tile * key_tile);
  Real maximum[query_tile], sum[query_tile];
  std::fill_n(maximum, rows, -std::numeric_limits<Real>::infinity());
  std::fill_n(sum, rows, Real(0));
  const ConstMatrix q(head.q + first * head.stride, rows, d, head.stride);
  for (Index key = 0; key < head.length; key += key_tile) {
    const Index keys = std::min(key_tile, head.length - key);
    const ConstMatrix k(head.k + key * head.stride, keys, d, head.stride);
    const ConstMatrix v(head.v + key * head.stride, keys, d, head.stride);
    gemm_serial(score_scale(d), q, k.t(), 0, {scores, rows, keys, keys}, FlopKind::attention);
    fold_scores(scores, rows, keys, d, maximum, sum, out, out_stride);
    gemm_serial(1, {scores, rows, keys, keys}, v, key == 0 ? 0 : 1, {out, rows, d, out_stride},
                FlopKind::attention);
  }
  for (Index i = 0; i < rows; ++i) {
    scale_row(d, 1 / sum[i], out + i * out_stride, out + i * out_stride);
    if (log_sum_exp != nullptr) log_sum_exp[i * lse_stride] = maximum[i] + std::log(sum[i]);
  }
}

struct HeadGradient {
  Real *dq, *dk, *dv;  ///< with the stride of the head's q, k, v
};

/// Backward of one head of one sequence; g, out and log_sum_exp as attend_head wrote them.
void attend_head_backward(const HeadView& head, const Real* g, const Real* out, Index out_stride,
                          const Real* log_sum_exp, Index lse_stride, const HeadGradient& d_head) {
  const Index d = head.width, n = head.length, stride = head.stride;
  Real* p = scratch(2 * query_tile * key_tile);
  Real* ds = p + query_tile * key_tile;
  const Real scale = score_scale(d);
  for (Index first = 0; first < n; first += query_tile) {
    const Index rows = std::min(query_tile, n - first);
    Real delta[query_tile];
    for (Index i = 0; i < rows; ++i) {
      delta[i] = dot_row(d, g + (first + i) * out_stride, out + (first + i) * out_stride);
    }
    const ConstMatrix q(head.q + first * stride, rows, d, stride);
    const ConstMatrix up(g + first * out_stride, rows, d, out_stride);
    for (Index key = 0; key < n; key += key_tile) {
      const Index keys = std::min(key_tile, n - key);
      const ConstMatrix k(head.k + key * stride, keys, d, stride);
      const ConstMatrix v(head.v + key * stride, keys, d, stride);
      const ConstMatrix p_tile(p, rows, keys, keys), ds_tile(ds, rows, keys, keys);
      gemm_serial(scale, q, k.t(), 0, {p, rows, keys, keys}, FlopKind::attention);
      gemm_serial(1, up, v.t(), 0, {ds, rows, keys, keys}, FlopKind::attention);
      for (Index i = 0; i < rows; ++i) {
        Real *p_row = p + i * keys, *ds_row = ds + i * keys;
        exp_row(keys, p_row, log_sum_exp[(first + i) * lse_stride], p_row);
        for (Index j = 0; j < keys; ++j) ds_row[j] = p_row[j] * (ds_row[j] - delta[i]);
      }
      const Real add_keys = first == 0 ? 0 : 1, add_queries = key == 0 ? 0 : 1;
      gemm_serial(1, p_tile.t(), up, add_keys, {d_head.dv + key * stride, keys, d, stride},
                  FlopKind::attention);
      gemm_serial(scale, ds_tile.t(), q, add_keys, {d_head.dk + key * stride, keys, d, stride},
                  FlopKind::attention);
      gemm_serial(scale, ds_tile, k, add_queries, {d_head.dq + first * stride, rows, d, stride},
                  FlopKind::attention);
    }
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
  for (Index first = 0; first < head.length; first += query_tile) {
    const Index rows = std::min(query_tile, head.length - first);
    attend_tile(head, first, rows, out + first * out_stride, out_stride,
                log_sum_exp ? log_sum_exp + first * lse_stride : nullptr, lse_stride);
  }
}

Attention attention_forward(const Tensor& qkv, const Segments& segments, Index heads) {
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
