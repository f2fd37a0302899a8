#pragma once

#include "tensor/random_words.h"

namespace bf {

// Vector kernels on one row of `n` values, on the calling thread. The instruction set is picked at
// run time (AVX-512, AVX2, SSE4, ...), so one binary serves every processor. Outputs may be the
// inputs themselves; they may not overlap in any other way. Sums run in a fixed order.

void add_row(Index n, const Real* a, const Real* b, Real* out);
void multiply_row(Index n, const Real* a, const Real* b, Real* out);
/// out = factor x
void scale_row(Index n, Real factor, const Real* x, Real* out);
/// y += factor x
void add_scaled_row(Index n, Real factor, const Real* x, Real* y);
Real dot_row(Index n, const Real* a, const Real* b);
Real sum_row(Index n, const Real* x);
/// Largest value; a NaN among them may or may not show. n >= 1.
Real max_row(Index n, const Real* x);
/// out = exp(x - shift); returns the sum of out.
Real exp_row(Index n, const Real* x, Real shift, Real* out);

// The next two work on aligned rows that are filled up to whole vectors: what stands past n, any
// finite values, is replaced by zeros.

/// Part of a softmax whose row comes in parts: with m = max(floor, max x), x becomes exp(x - m).
struct PartialSoftmax {
  Real maximum, sum;  ///< m, and the sum of the new x
};
PartialSoftmax softmax_part_row(Index n, Real floor, Real* x);
/// p = exp(p - log_sum_exp);  slope = p (slope - delta): the softmax's probabilities from its
/// scores, and the gradient of the scores from that of the probabilities.
void softmax_slope_row(Index n, Real log_sum_exp, Real delta, Real* p, Real* slope);

/// y = x Phi(x), the exact GELU (by erf, not tanh); Phi is the normal distribution function.
void gelu_row(Index n, const Real* x, Real* y);
/// dx = g (Phi(x) + x phi(x))
void gelu_backward_row(Index n, const Real* x, const Real* g, Real* dx);

/// y = gamma (x - mean) rstd + beta with rstd = 1 / sqrt(var + eps); mean and variance are
/// taken again from x - mean, since a float's mean and E[x^2] - E[x]^2 lose a small spread about a
/// large mean.
void layer_norm_row(Index n, const Real* x, const Real* gamma, const Real* beta, Real eps, Real* y,
                    Real& mean, Real& rstd);
/// With xhat = (x - mean) rstd and q = gamma g:
///   dx = rstd (q - mean(q) - xhat mean(q xhat));  dgamma += g xhat;  dbeta += g
void layer_norm_backward_row(Index n, const Real* x, const Real* gamma, Real mean, Real rstd,
                             const Real* g, Real* dx, Real* dgamma, Real* dbeta);

constexpr Real adamw_most_gradient = static_cast<Real>(real_is_double ? 0x1p511 : 0x1p63);
/// What one AdamW update needs besides its arrays.
struct AdamWStep {
  Real learning_rate, beta1, beta2, epsilon;
  Real decay;           ///< weight decay, already multiplied by the learning rate
  Real correction1;     ///< 1 / (1 - beta1^t)
  Real correction2;     ///< 1 / (1 - beta2^t)
  Real gradient_scale;  ///< clipping factor
};
/// Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2019), algorithm 2, in one pass:
///   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
///   w = w - decay w - learning_rate (m correction1) / (sqrt(v correction2) + epsilon)
/// with g the gradient x gradient_scale, held inside +-adamw_most_gradient: its square, and so v,
/// stays finite, and m / sqrt(v) has long ceased to depend on the size of g.
void adamw_row(Index n, const AdamWStep& step, const Real* gradient, Real* moment1, Real* moment2,
               Real* weight);

/// The instruction set in use, e.g. "AVX2".
const char* simd_target_name();

}  // namespace bf
