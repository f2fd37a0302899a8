#pragma once

#include "tensor/segments.h"
#include "tensor/tensor.h"

namespace bf {

/// The probabilities of one head in one sequence, which the attention itself never keeps: to look
/// at, row i being what token i reads.
///   p_ij = softmax over j of q_i . k_j / sqrt(d)
///   qkv [tokens, H * 3 * d] as in tensor/attention.h   result [n, n], n the sequence's length
/// Throws std::invalid_argument when the shape does not fit, or sequence or head do not exist.
Tensor attention_probabilities(const Tensor& qkv, const Segments& segments, Index heads,
                               Index sequence, Index head);

}  // namespace bf
