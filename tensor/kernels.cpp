// This file is compiled once per instruction set: foreach_target.h includes it again and again with
// another HWY_NAMESPACE, and the part under HWY_ONCE picks among the copies at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels.cpp"
#include <hwy/foreach_target.h>
// Highway has to come after foreach_target.h.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace bf {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Vector = hn::ScalableTag<Real>;
using Lanes = hn::Vec<Vector>;
constexpr Vector tag;

/// A full vector of a row, or the part of one at its end. The rest of a part reads as `fill`.
struct Full {};
struct Part {
  Index count;
};

HWY_INLINE Lanes load(const Real* from, Full) { return hn::LoadU(tag, from); }
HWY_INLINE Lanes load(const Real* from, Part part, Real fill = 0) {
  HWY_ALIGN Real buffer[hn::MaxLanes(tag)];
  std::fill_n(buffer, hn::Lanes(tag), fill);
  std::copy_n(from, part.count, buffer);
  return hn::Load(tag, buffer);
}
/// Zero past the end of the row, so that a sum may take the whole vector.
HWY_INLINE Lanes keep(Lanes value, Full) { return value; }
HWY_INLINE Lanes keep(Lanes value, Part part) {
  return hn::IfThenElseZero(hn::FirstN(tag, part.count), value);
}
HWY_INLINE void store(Lanes value, Real* to, Full) { hn::StoreU(value, tag, to); }
HWY_INLINE void store(Lanes value, Real* to, Part part) {
  HWY_ALIGN Real buffer[hn::MaxLanes(tag)];
  hn::Store(value, tag, buffer);
  std::copy_n(buffer, part.count, to);
}

/// f(i, Full) for every whole vector of n values, then f(i, Part) for what is left.
template <typename F>
HWY_INLINE void over_row(Index n, F f) {
  const Index lanes = hn::Lanes(tag);
  Index i = 0;
  for (; i + lanes <= n; i += lanes) f(i, Full{});
  if (i < n) f(i, Part{n - i});
}

HWY_INLINE Real sum_lanes(Lanes v) { return hn::GetLane(hn::SumOfLanes(tag, v)); }

/// Four running sums: one would wait for each addition before it starts the next.
template <typename Term>
HWY_INLINE Real sum_of(Index n, Term term) {
  const Index lanes = hn::Lanes(tag);
  Lanes s0 = hn::Zero(tag), s1 = s0, s2 = s0, s3 = s0;
  Index i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = hn::Add(s0, term(i, Full{}));
    s1 = hn::Add(s1, term(i + lanes, Full{}));
    s2 = hn::Add(s2, term(i + 2 * lanes, Full{}));
    s3 = hn::Add(s3, term(i + 3 * lanes, Full{}));
  }
  for (; i + lanes <= n; i += lanes) s0 = hn::Add(s0, term(i, Full{}));
  if (i < n) s1 = hn::Add(s1, term(i, Part{n - i}));
  return sum_lanes(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
}

void Add(Index n, const Real* a, const Real* b, Real* out) {
  over_row(n, [=](Index i, auto part) HWY_ATTR {
    store(hn::Add(load(a + i, part), load(b + i, part)), out + i, part);
  });
}

void Multiply(Index n, const Real* a, const Real* b, Real* out) {
  over_row(n, [=](Index i, auto part) HWY_ATTR {
    store(hn::Mul(load(a + i, part), load(b + i, part)), out + i, part);
  });
}

void Scale(Index n, Real factor, const Real* x, Real* out) {
  const Lanes f = hn::Set(tag, factor);
  over_row(
      n, [=](Index i, auto part) HWY_ATTR { store(hn::Mul(f, load(x + i, part)), out + i, part); });
}

void AddScaled(Index n, Real factor, const Real* x, Real* y) {
  const Lanes f = hn::Set(tag, factor);
  over_row(n, [=](Index i, auto part) HWY_ATTR {
    store(hn::MulAdd(f, load(x + i, part), load(y + i, part)), y + i, part);
  });
}

Real Dot(Index n, const Real* a, const Real* b) {
  return sum_of(n, [=](Index i, auto part)
                       HWY_ATTR { return hn::Mul(load(a + i, part), load(b + i, part)); });
}

Real Sum(Index n, const Real* x) {
  return sum_of(n, [=](Index i, auto part) HWY_ATTR { return load(x + i, part); });
}

Real Max(Index n, const Real* x) {
  const Index lanes = hn::Lanes(tag);
  Lanes best = hn::Set(tag, x[0]);
  Index i = 0;
  for (; i + lanes <= n; i += lanes) best = hn::Max(best, load(x + i, Full{}));
  if (i < n) best = hn::Max(best, load(x + i, Part{n - i}, x[0]));
  return hn::GetLane(hn::MaxOfLanes(tag, best));
}

#ifndef BF_DOUBLE
/// exp(x) for x in [-87.33, 88.72]: x = n ln 2 + r with |r| <= ln(2) / 2, exp(r) by a polynomial
/// (fitted by us, relative error 2e-9), and n added to the exponent's bits. Two thirds of hn::Exp's
/// operations, which matter: half of what GELU and softmax cost is their exponential.
HWY_INLINE Lanes exponential_in_range(Lanes x) {
  constexpr double fit[] = {1.0000000006,     1.0000000368,     4.9999991981e-01, 1.6666418193e-01,
                            4.1668238782e-02, 8.3749823427e-03, 1.3836601775e-03};
  constexpr Real inverse_ln2 = 1.44269504f, ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
  constexpr Real rounder = 12582912;  // 1.5 2^23: adding it leaves n in the lowest bits
  const Lanes shifted = hn::MulAdd(x, hn::Set(tag, inverse_ln2), hn::Set(tag, rounder));
  const Lanes n = hn::Sub(shifted, hn::Set(tag, rounder));
  const Lanes r =
      hn::NegMulAdd(n, hn::Set(tag, ln2_low), hn::NegMulAdd(n, hn::Set(tag, ln2_high), x));
  Lanes e = hn::Set(tag, static_cast<Real>(fit[6]));
  for (int i = 5; i >= 0; --i) e = hn::MulAdd(e, r, hn::Set(tag, static_cast<Real>(fit[i])));
  const hn::RebindToSigned<Vector> bits;
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(bits, shifted));
  return hn::BitCast(tag, hn::Add(hn::BitCast(bits, e), exponent));
}
#else
HWY_INLINE Lanes exponential_in_range(Lanes x) { return hn::Exp(tag, x); }
#endif

/// exp(x) for every x: 0 where it would not be a normal number, infinity above e^88.7, NaN for NaN.
HWY_INLINE Lanes exponential(Lanes x) {
  constexpr double largest = real_is_double ? 709.7 : 88.7,
                   smallest = real_is_double ? -708 : -87.3;
  const Lanes infinity = hn::Set(tag, std::numeric_limits<Real>::infinity());
  const Lanes inside = hn::IfThenElse(hn::Le(x, hn::Set(tag, static_cast<Real>(largest))),
                                      exponential_in_range(x), hn::Mul(x, infinity));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(tag, static_cast<Real>(smallest))), inside);
}

Real Exp(Index n, const Real* x, Real shift, Real* out) {
  const Lanes s = hn::Set(tag, shift);
  Lanes sum = hn::Zero(tag);
  const Index lanes = hn::Lanes(tag);
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Lanes e = exponential(hn::Sub(load(x + i, Full{}), s));
    store(e, out + i, Full{});
    sum = hn::Add(sum, e);
  }
  Real total = sum_lanes(sum);
  if (i < n) {
    const Part part{n - i};
    store(exponential(hn::Sub(load(x + i, part), s)), out + i, part);
    for (; i < n; ++i) total += out[i];
  }
  return total;
}

/// The lanes of a row of n values that vector i, the last of the row or not, holds.
HWY_INLINE auto inside_row(Index n, Index i) { return hn::FirstN(tag, n - i); }

PartialSoftmax SoftmaxPart(Index n, Real floor, Real* x) {
  const Index lanes = hn::Lanes(tag);
  const Lanes none = hn::Set(tag, std::numeric_limits<Real>::lowest());
  Lanes best = hn::Set(tag, floor);
  for (Index i = 0; i < n; i += lanes) {
    best = hn::Max(best, hn::IfThenElse(inside_row(n, i), hn::Load(tag, x + i), none));
  }
  const Real maximum = hn::GetLane(hn::MaxOfLanes(tag, best));
  const Lanes shift = hn::Set(tag, maximum);
  Lanes sum = hn::Zero(tag);
  for (Index i = 0; i < n; i += lanes) {
    const Lanes e = exponential(hn::Sub(hn::Load(tag, x + i), shift));
    const Lanes kept = hn::IfThenElseZero(inside_row(n, i), e);
    hn::Store(kept, tag, x + i);
    sum = hn::Add(sum, kept);
  }
  return {maximum, sum_lanes(sum)};
}

void SoftmaxSlope(Index n, Real log_sum_exp, Real delta, Real* p, Real* slope) {
  const Index lanes = hn::Lanes(tag);
  const Lanes shift = hn::Set(tag, log_sum_exp), d = hn::Set(tag, delta);
  for (Index i = 0; i < n; i += lanes) {
    const Lanes e = exponential(hn::Sub(hn::Load(tag, p + i), shift));
    const Lanes kept = hn::IfThenElseZero(inside_row(n, i), e);
    hn::Store(kept, tag, p + i);
    hn::Store(hn::Mul(kept, hn::Sub(hn::Load(tag, slope + i), d)), tag, slope + i);
  }
}

/// The normal distribution function Phi(x) and its density phi(x).
struct Normal {
  Lanes distribution, density;
};

/// Phi(-|x|) = exp(-x^2 / 2) P(t) t with t = 1 / (1 + 0.3 |x|): the scaled tail is so smooth that
/// one polynomial (fitted by us, relative error 1.2e-7 on [0, 13]) serves every x, and value and
/// density share one exponential.
HWY_INLINE Normal normal(Lanes x) {
  constexpr double fit[] = {1.196232554e-01,  1.208456500e-01, 9.934632000e-02,  1.304192993e-01,
                            -5.717310321e-02, 2.101250010e-01, -1.593823465e-01, 3.619586757e-02};
  constexpr double density_at_zero = 0.3989422804014327;
  const Lanes one = hn::Set(tag, Real(1)), size = hn::Abs(x);
  const Lanes t = hn::Div(one, hn::MulAdd(hn::Set(tag, Real(0.3)), size, one));
  Lanes tail = hn::Set(tag, Real(fit[7]));
  for (int i = 6; i >= 0; --i) tail = hn::MulAdd(tail, t, hn::Set(tag, static_cast<Real>(fit[i])));
  const Lanes power = hn::Mul(hn::Set(tag, Real(-0.5)), hn::Mul(x, x));
  const Lanes least = hn::Set(tag, Real(-87.3));
  const Lanes bell =
      hn::IfThenElseZero(hn::Gt(power, least), exponential_in_range(hn::Max(power, least)));
  tail = hn::Mul(hn::Mul(tail, t), bell);
  const Lanes distribution = hn::IfThenElse(hn::Gt(x, hn::Zero(tag)), hn::Sub(one, tail), tail);
  return {distribution, hn::Mul(hn::Set(tag, Real(density_at_zero)), bell)};
}

/// In double the fit would be the least exact step, so the gradient tests use the library's erfc.
HWY_INLINE double exact_normal(double x) { return 0.5 * std::erfc(-x * 0.7071067811865476); }

void Gelu(Index n, const Real* x, Real* y) {
  if constexpr (real_is_double) {
    for (Index i = 0; i < n; ++i) y[i] = static_cast<Real>(x[i] * exact_normal(x[i]));
  } else {
    over_row(n, [=](Index i, auto part) HWY_ATTR {
      const Lanes v = load(x + i, part);
      store(hn::Mul(v, normal(v).distribution), y + i, part);
    });
  }
}

void GeluBackward(Index n, const Real* x, const Real* g, Real* dx) {
  if constexpr (real_is_double) {
    for (Index i = 0; i < n; ++i) {
      const double v = x[i], density = 0.3989422804014327 * std::exp(-0.5 * v * v);
      dx[i] = static_cast<Real>(g[i] * (exact_normal(v) + v * density));
    }
  } else {
    over_row(n, [=](Index i, auto part) HWY_ATTR {
      const Lanes v = load(x + i, part);
      const Normal at = normal(v);
      store(hn::Mul(load(g + i, part), hn::MulAdd(v, at.density, at.distribution)), dx + i, part);
    });
  }
}

/// A mean rounded to one Real is off by up to epsilon |mean|, which for a small spread about a
/// large mean is a large part of the spread. The mean of what is left, x - mean, makes up for it.
HWY_INLINE Real mean_left(Index n, const Real* x, Lanes mean) {
  const Real sum = sum_of(
      n, [=](Index i, auto part) HWY_ATTR { return keep(hn::Sub(load(x + i, part), mean), part); });
  return sum / static_cast<Real>(n);
}

void LayerNorm(Index n, const Real* x, const Real* gamma, const Real* beta, Real eps, Real* y,
               Real& mean, Real& rstd) {
  const Real count = static_cast<Real>(n);
  mean = Sum(n, x) / count;
  const Lanes m = hn::Set(tag, mean), left = hn::Set(tag, mean_left(n, x, m));
  const Real squares = sum_of(n, [=](Index i, auto part) HWY_ATTR {
    const Lanes c = hn::Sub(hn::Sub(load(x + i, part), m), left);
    return keep(hn::Mul(c, c), part);
  });
  rstd = 1 / std::sqrt(squares / count + eps);
  const Lanes r = hn::Set(tag, rstd);
  over_row(n, [=](Index i, auto part) HWY_ATTR {
    const Lanes xhat = hn::Mul(hn::Sub(hn::Sub(load(x + i, part), m), left), r);
    store(hn::MulAdd(load(gamma + i, part), xhat, load(beta + i, part)), y + i, part);
  });
}

void LayerNormBackward(Index n, const Real* x, const Real* gamma, Real mean, Real rstd,
                       const Real* g, Real* dx, Real* dgamma, Real* dbeta) {
  const Lanes m = hn::Set(tag, mean), r = hn::Set(tag, rstd);
  const Lanes left = hn::Set(tag, mean_left(n, x, m));
  Lanes sum_q = hn::Zero(tag), sum_q_xhat = sum_q;
  over_row(n, [&](Index i, auto part) HWY_ATTR {
    const Lanes up = load(g + i, part);
    const Lanes xhat = hn::Mul(hn::Sub(hn::Sub(load(x + i, part), m), left), r);
    const Lanes q = hn::Mul(load(gamma + i, part), up);  // 0 past the end of the row
    sum_q = hn::Add(sum_q, q);
    sum_q_xhat = hn::MulAdd(q, xhat, sum_q_xhat);
    store(hn::MulAdd(up, xhat, load(dgamma + i, part)), dgamma + i, part);
    store(hn::Add(up, load(dbeta + i, part)), dbeta + i, part);
  });
  const Lanes mean_q = hn::Set(tag, sum_lanes(sum_q) / static_cast<Real>(n));
  const Lanes mean_q_xhat = hn::Set(tag, sum_lanes(sum_q_xhat) / static_cast<Real>(n));
  over_row(n, [=](Index i, auto part) HWY_ATTR {
    const Lanes xhat = hn::Mul(hn::Sub(hn::Sub(load(x + i, part), m), left), r);
    const Lanes q = hn::Mul(load(gamma + i, part), load(g + i, part));
    const Lanes centred = hn::NegMulAdd(xhat, mean_q_xhat, hn::Sub(q, mean_q));
    store(hn::Mul(r, centred), dx + i, part);
  });
}

void AdamW(Index n, const AdamWStep& step, const Real* gradient, Real* moment1, Real* moment2,
           Real* weight) {
  const Lanes beta1 = hn::Set(tag, step.beta1), rest1 = hn::Set(tag, 1 - step.beta1);
  const Lanes beta2 = hn::Set(tag, step.beta2), rest2 = hn::Set(tag, 1 - step.beta2);
  const Lanes clip = hn::Set(tag, step.gradient_scale), epsilon = hn::Set(tag, step.epsilon);
  const Lanes correction2 = hn::Set(tag, step.correction2);
  const Lanes rate = hn::Set(tag, step.learning_rate * step.correction1);
  const Lanes keep = hn::Set(tag, 1 - step.decay), most = hn::Set(tag, adamw_most_gradient);
  over_row(n, [=](Index i, auto part) HWY_ATTR {
    const Lanes g = hn::Clamp(hn::Mul(clip, load(gradient + i, part)), hn::Neg(most), most);
    const Lanes m = hn::MulAdd(beta1, load(moment1 + i, part), hn::Mul(rest1, g));
    const Lanes v = hn::MulAdd(beta2, load(moment2 + i, part), hn::Mul(rest2, hn::Mul(g, g)));
    const Lanes spread = hn::Add(hn::Sqrt(hn::Mul(v, correction2)), epsilon);
    const Lanes kept = hn::Mul(keep, load(weight + i, part));
    store(m, moment1 + i, part);
    store(v, moment2 + i, part);
    store(hn::NegMulAdd(rate, hn::Div(m, spread), kept), weight + i, part);
  });
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace bf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bf {

HWY_EXPORT(Add);
HWY_EXPORT(Multiply);
HWY_EXPORT(Scale);
HWY_EXPORT(AddScaled);
HWY_EXPORT(Dot);
HWY_EXPORT(Sum);
HWY_EXPORT(Max);
HWY_EXPORT(Exp);
HWY_EXPORT(SoftmaxPart);
HWY_EXPORT(SoftmaxSlope);
HWY_EXPORT(Gelu);
HWY_EXPORT(GeluBackward);
HWY_EXPORT(LayerNorm);
HWY_EXPORT(LayerNormBackward);
HWY_EXPORT(AdamW);
HWY_EXPORT(TargetName);

void add_row(Index n, const Real* a, const Real* b, Real* out) {
  HWY_DYNAMIC_DISPATCH(Add)(n, a, b, out);
}
void multiply_row(Index n, const Real* a, const Real* b, Real* out) {
  HWY_DYNAMIC_DISPATCH(Multiply)(n, a, b, out);
}
void scale_row(Index n, Real factor, const Real* x, Real* out) {
  HWY_DYNAMIC_DISPATCH(Scale)(n, factor, x, out);
}
void add_scaled_row(Index n, Real factor, const Real* x, Real* y) {
  HWY_DYNAMIC_DISPATCH(AddScaled)(n, factor, x, y);
}
Real dot_row(Index n, const Real* a, const Real* b) { return HWY_DYNAMIC_DISPATCH(Dot)(n, a, b); }
Real sum_row(Index n, const Real* x) { return HWY_DYNAMIC_DISPATCH(Sum)(n, x); }
Real max_row(Index n, const Real* x) { return HWY_DYNAMIC_DISPATCH(Max)(n, x); }
Real exp_row(Index n, const Real* x, Real shift, Real* out) {
  return HWY_DYNAMIC_DISPATCH(Exp)(n, x, shift, out);
}
PartialSoftmax softmax_part_row(Index n, Real floor, Real* x) {
  return HWY_DYNAMIC_DISPATCH(SoftmaxPart)(n, floor, x);
}
void softmax_slope_row(Index n, Real log_sum_exp, Real delta, Real* p, Real* slope) {
  HWY_DYNAMIC_DISPATCH(SoftmaxSlope)(n, log_sum_exp, delta, p, slope);
}
void gelu_row(Index n, const Real* x, Real* y) { HWY_DYNAMIC_DISPATCH(Gelu)(n, x, y); }
void gelu_backward_row(Index n, const Real* x, const Real* g, Real* dx) {
  HWY_DYNAMIC_DISPATCH(GeluBackward)(n, x, g, dx);
}
void layer_norm_row(Index n, const Real* x, const Real* gamma, const Real* beta, Real eps, Real* y,
                    Real& mean, Real& rstd) {
  HWY_DYNAMIC_DISPATCH(LayerNorm)(n, x, gamma, beta, eps, y, mean, rstd);
}
void layer_norm_backward_row(Index n, const Real* x, const Real* gamma, Real mean, Real rstd,
                             const Real* g, Real* dx, Real* dgamma, Real* dbeta) {
  HWY_DYNAMIC_DISPATCH(LayerNormBackward)(n, x, gamma, mean, rstd, g, dx, dgamma, dbeta);
}
void adamw_row(Index n, const AdamWStep& step, const Real* gradient, Real* moment1, Real* moment2,
               Real* weight) {
  HWY_DYNAMIC_DISPATCH(AdamW)(n, step, gradient, moment1, moment2, weight);
}
const char* simd_target_name() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace bf
#endif  // HWY_ONCE
