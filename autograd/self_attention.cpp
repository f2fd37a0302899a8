#include "autograd/self_attention.h"

#include "tensor/attention.h"

namespace bf {

Variable self_attention(const Variable& qkv, const Segments& segments, Index heads) {
  const Attention result = attention_forward(qkv.value(), segments, heads);
  return record(
      "self_attention", result.out, {qkv},
      [qkv_v = qkv.value(), result, segments, heads, dqkv = qkv.grad_buffer()](const Tensor& g) {
        dqkv.add(attention_backward(qkv_v, result, g, segments, heads));
      });
}

}  // namespace bf
