#pragma once

#include "autograd/tape.h"
#include "tensor/segments.h"

namespace bf {

/// Multiplies each head's columns by its sequence's gate: y_t,h = gate_b,h x_t,h for t in b.
///   x [tokens, H * d]   gate [B, H]   y [tokens, H * d]
/// Backward, with g = dL/dy:
///   dL/dx_t,h = gate_b,h g_t,h   dL/dgate_b,h = sum over t in b of g_t,h . x_t,h
/// Saved: x, gate.  Throws std::invalid_argument when the shapes do not fit.
Variable head_scale(const Variable& x, const Variable& gate, const Segments& segments);

}  // namespace bf
