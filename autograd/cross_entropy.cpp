#include "autograd/cross_entropy.h"

#include <cmath>

#include "autograd/log_softmax.h"
#include "tensor/require.h"

namespace bf {

Variable cross_entropy(const Variable& logits, const Ids& targets, double label_smoothing) {
  require(logits.rank() == 2 && logits.dim(0) > 0 && logits.dim(1) > 0,
          "cross_entropy: expected logits [B, K], got ", logits.shape());
  const Index batch = logits.dim(0), classes = logits.dim(1);
  require(targets.size() == batch, "cross_entropy: targets [", targets.size(),
          "] do not match logits ", logits.shape(), ": expected [", batch, "]");
  require(label_smoothing >= 0 && label_smoothing < 1,
          "cross_entropy: label smoothing must be in [0, 1), got ", label_smoothing);
  const Tensor log_p = log_softmax_rows(logits.value());
  const Real spread = static_cast<Real>(label_smoothing / static_cast<double>(classes));
  const Real kept = static_cast<Real>(1 - label_smoothing);
  double loss = 0;
  for (Index b = 0; b < batch; ++b) {
    require(targets[b] >= 0 && static_cast<Index>(targets[b]) < classes, "cross_entropy: target ",
            targets[b], " at position ", b, " is outside the ", classes, " classes");
    loss -= static_cast<double>(kept * log_p.row(b)[static_cast<Index>(targets[b])]);
    for (Index j = 0; spread > 0 && j < classes; ++j) {
      loss -= static_cast<double>(spread * log_p.row(b)[j]);
    }
  }
  const Tensor value = Tensor::scalar(static_cast<Real>(loss / static_cast<double>(batch)));
  return record("cross_entropy", value, {logits},
                [log_p, targets, kept, spread, dx = logits.grad_buffer()](const Tensor& g) {
                  const Real factor = g.item() / static_cast<Real>(log_p.dim(0));
                  Tensor d(log_p.shape());
                  for (Index i = 0; i < d.size(); ++i) {
                    d[i] = factor * (std::exp(log_p[i]) - spread);
                  }
                  for (Index b = 0; b < d.dim(0); ++b) {
                    d.row(b)[static_cast<Index>(targets[b])] -= factor * kept;
                  }
                  dx.add(d);
                });
}

}  // namespace bf
