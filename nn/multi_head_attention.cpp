#include "nn/multi_head_attention.h"

#include <cmath>

#include "autograd/self_attention.h"
#include "tensor/require.h"

namespace bf {
namespace {

constexpr Index most_columns = Index{1} << 30;  // of all heads: sizes are products of three

}  // namespace

Index head_width(Index dim, Index heads, Index width) {
  require(heads > 0, "attention: the number of heads must be at least 1");
  require(width > 0 || (dim > 0 && dim % heads == 0), "attention: width ", dim,
          " is not divisible by ", heads, " heads");
  const Index columns = width > 0 ? width : dim / heads;
  require(columns <= most_columns / heads, "attention: ", heads, " heads of ", columns,
          " columns have more than ", most_columns);
  return columns;
}

void initialise_qkv(Linear& qkv, RandomSource& random) {
  const Index rows = qkv.weight().dim(0), in = qkv.weight().dim(1);
  const Index out = rows / 3;  // of Q, K or V, which are products of their own
  const auto bound = static_cast<Real>(std::sqrt(6.0 / static_cast<double>(out + in)));
  qkv.weight().mutable_value() = uniform_tensor({rows, in}, -bound, bound, random.next());
}

MultiHeadAttention::MultiHeadAttention(Index dim, Index heads, RandomSource& random, Index width)
    : heads_(heads),
      qkv_(add_module<Linear>("qkv", dim, 3 * heads * head_width(dim, heads, width), random)),
      out_(add_module<Linear>("out", heads * head_width(dim, heads, width), dim, random)) {
  initialise_qkv(qkv_, random);
}

Variable MultiHeadAttention::forward(const Variable& x, const Segments& segments) {
  const Variable qkv = qkv_.forward(x);                        // [tokens, 3 H d]
  return out_.forward(self_attention(qkv, segments, heads_));  // [tokens, H d] -> [tokens, D]
}

}  // namespace bf
