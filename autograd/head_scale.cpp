#include "autograd/head_scale.h"

#include "autograd/elementwise.h"
#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// y_t,h = gate_b,h x_t,h
Tensor scaled(const Tensor& x, const Tensor& gate, const Segments& segments) {
  const Index heads = gate.dim(1), d = x.dim(1) / heads;
  Tensor y(x.shape());
  over_sequences(segments, x.dim(1), [&](Index b) {
    for (Index t = segments.begin(b); t < segments.end(b); ++t) {
      for (Index h = 0; h < heads; ++h) {
        scale_row(d, gate.row(b)[h], x.row(t) + h * d, y.row(t) + h * d);
      }
    }
  });
  return y;
}

Tensor gate_gradient(const Tensor& x, const Tensor& g, Index heads, const Segments& segments) {
  const Index d = x.dim(1) / heads;
  Tensor result = Tensor::zeros({segments.count(), heads});
  over_sequences(segments, x.dim(1), [&](Index b) {
    for (Index t = segments.begin(b); t < segments.end(b); ++t) {
      for (Index h = 0; h < heads; ++h) {
        result.row(b)[h] += dot_row(d, g.row(t) + h * d, x.row(t) + h * d);
      }
    }
  });
  return result;
}

}  // namespace

Variable head_scale(const Variable& x, const Variable& gate, const Segments& segments) {
  require(x.rank() == 2 && gate.rank() == 2 && gate.dim(1) > 0 && x.dim(1) % gate.dim(1) == 0,
          "head_scale: x ", x.shape(), " does not divide into the heads of gate ", gate.shape());
  require(x.dim(0) == segments.tokens() && gate.dim(0) == segments.count(), "head_scale: x ",
          x.shape(), " and gate ", gate.shape(), " do not fit ", segments.count(),
          " sequences of together ", segments.tokens(), " tokens");
  return record("head_scale", scaled(x.value(), gate.value(), segments), {x, gate},
                [xv = x.value(), gate_v = gate.value(), segments, dx = x.grad_buffer(),
                 dgate = gate.grad_buffer()](const Tensor& g) {
                  if (dx.wanted()) dx.add(scaled(g, gate_v, segments));
                  if (dgate.wanted()) dgate.add(gate_gradient(xv, g, gate_v.dim(1), segments));
                });
}

}  // namespace bf
