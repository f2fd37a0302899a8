#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tensor/kernels.h"
#include "tests/kernel_rows.h"

using namespace bf;

namespace {

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI); }

struct LayerNormResult {
  Row y;
  Real mean, rstd;
};

LayerNormResult layer_norm(const Row& x, const Row& gamma, const Row& beta) {
  LayerNormResult result{Row(x.size()), 0, 0};
  layer_norm_row(x.size(), x.data(), gamma.data(), beta.data(), Real(1e-5), result.y.data(),
                 result.mean, result.rstd);
  return result;
}

/// Two passes in double over the same values.
std::vector<double> naive_layer_norm(const std::vector<double>& x, const Row& gamma,
                                     const Row& beta) {
  const double n = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (const double v : x) mean += v / n;
  for (const double v : x) variance += (v - mean) * (v - mean) / n;
  std::vector<double> y(x.size());
  for (Index i = 0; i < x.size(); ++i) {
    y[i] = gamma[i] * (x[i] - mean) / std::sqrt(variance + 1e-5) + beta[i];
  }
  return y;
}

}  // namespace

TEST_CASE("kernels: sums, products and scaled rows equal a loop") {
  for_lengths(0, [](Index n, Index start) {
    const Row a = seeded_values(n + start, 1), b = seeded_values(n + start, 2);
    const Real *x = a.data() + start, *y = b.data() + start;
    const auto exact = [](Index) { return 0.0; };
    const auto rounding = [&](Index i) { return 4 * epsilon * (1 + std::abs(double{y[i]})) * 5; };
    check_row(
        n, start, [&](Real* out) { add_row(n, x, y, out); },
        [&](Index i) { return double{x[i] + y[i]}; }, exact);
    check_row(
        n, start, [&](Real* out) { multiply_row(n, x, y, out); },
        [&](Index i) { return double{x[i] * y[i]}; }, exact);
    check_row(
        n, start, [&](Real* out) { scale_row(n, Real(-1.5), x, out); },
        [&](Index i) { return double{Real(-1.5) * x[i]}; }, exact);
    check_row(
        n, start,
        [&](Real* out) {
          std::copy_n(y, n, out);
          add_scaled_row(n, Real(0.3), x, out);
        },
        [&](Index i) { return double{y[i]} + double{Real(0.3)} * double{x[i]}; }, rounding);
    check_row(
        n, start,
        [&](Real* out) {  // in place
          std::copy_n(x, n, out);
          add_row(n, out, out, out);
        },
        [&](Index i) { return 2 * double{x[i]}; }, exact);
  });
}

TEST_CASE("kernels: dot, sum and maximum equal a loop") {
  for_lengths(1, [](Index n, Index start) {
    const Row a = seeded_values(n + start, 3), b = seeded_values(n + start, 4);
    const Real *x = a.data() + start, *y = b.data() + start;
    double dot = 0, dot_size = 0, sum = 0, sum_size = 0;
    for (Index i = 0; i < n; ++i) {
      dot += double{x[i]} * double{y[i]}, dot_size += std::abs(double{x[i]} * double{y[i]});
      sum += double{x[i]}, sum_size += std::abs(double{x[i]});
    }
    const double unit = static_cast<double>(n) * epsilon;
    CHECK(std::abs(double{dot_row(n, x, y)} - dot) <= unit * dot_size);
    CHECK(std::abs(double{sum_row(n, x)} - sum) <= unit * sum_size);
    CHECK(max_row(n, x) == *std::max_element(x, x + n));
  });
  CHECK(dot_row(0, nullptr, nullptr) == 0);
  CHECK(sum_row(0, nullptr) == 0);
}

TEST_CASE("kernels: the maximum of negative values is not the padding of the last vector") {
  for (Index n = 1; n <= 35; ++n) {
    for (Index at = 0; at < n; ++at) {
      Row x(n, Real(-5));
      x[at] = Real(-2);
      CHECK(max_row(n, x.data()) == Real(-2));
    }
    CHECK(max_row(n, Row(n, -INFINITY).data()) == -INFINITY);
  }
}

TEST_CASE("kernels: exp over its whole range, with the sum of what it wrote") {
  // Highway documents 1 ulp; near the ends of the range the argument's own rounding counts.
  const double range = real_is_double ? 700 : 87;
  const Index n = 20001;
  Row x(n), out(n);
  for (Index i = 0; i < n; ++i) {
    x[i] = static_cast<Real>(-range + 2 * range * static_cast<double>(i) / (n - 1));
  }
  exp_row(n, x.data(), 0, out.data());
  double worst = 0;
  for (Index i = 0; i < n; ++i) {
    const double exact = std::exp(double{x[i]});
    worst = std::max(worst, std::abs(double{out[i]} - exact) / exact);
  }
  CHECK(worst < 4 * epsilon);
  for_lengths(0, [](Index count, Index start) {
    const Row values = seeded_values(count + start, 5);
    const Real* from = values.data() + start;
    Real sum = 0;
    double expected_sum = 0;
    const auto expected = [&](Index i) { return std::exp(double{from[i]} - 2); };
    for (Index i = 0; i < count; ++i) expected_sum += expected(i);
    check_row(
        count, start, [&](Real* to) { sum = exp_row(count, from, 2, to); }, expected,
        [&](Index i) { return 8 * epsilon * expected(i); });
    CHECK(std::abs(double{sum} - expected_sum) <= (8 + double(count)) * epsilon * expected_sum);
  });
}

TEST_CASE("kernels: exp at the extremes: zero, infinity, NaN") {
  const Real infinity = INFINITY, nan = NAN;
  for (Index n = 1; n <= 19; ++n) {  // in whole vectors and in parts
    Row out(n);
    const auto all = [&](Real x, auto check) {
      exp_row(n, Row(n, x).data(), 0, out.data());
      return std::all_of(out.begin(), out.end(), check);
    };
    CHECK(all(-1000, [](Real e) { return e == 0; }));
    CHECK(all(-1e30f, [](Real e) { return e == 0; }));
    CHECK(all(-infinity, [](Real e) { return e == 0; }));
    CHECK(all(0, [](Real e) { return e == 1; }));
    CHECK(all(1000, [](Real e) { return std::isinf(e); }));
    CHECK(all(1e30f, [](Real e) { return std::isinf(e); }));
    CHECK(all(infinity, [](Real e) { return std::isinf(e); }));
    CHECK(all(nan, [](Real e) { return std::isnan(e); }));
    CHECK(std::isnan(exp_row(n, Row(n, nan).data(), 0, out.data())));
  }
}

TEST_CASE("kernels: a softmax of extreme scores") {
  Row p{-20000, -20001};
  const Real sum = exp_row(2, p.data(), max_row(2, p.data()), p.data());
  CHECK(p[0] / sum == doctest::Approx(0.731059));
  CHECK(p[1] / sum == doctest::Approx(0.268941));
  Row far{1000, 0, 0};
  CHECK(exp_row(3, far.data(), max_row(3, far.data()), far.data()) == 1);
  CHECK(far == Row{1, 0, 0});
}

TEST_CASE("kernels: GELU and its derivative against erfc on [-12, 12]") {
  const Index n = 24001;
  Row x(n), y(n), dx(n);
  const Row g = seeded_values(n, 6);
  for (Index i = 0; i < n; ++i) x[i] = static_cast<Real>(-12 + 0.001 * static_cast<double>(i));
  gelu_row(n, x.data(), y.data());
  gelu_backward_row(n, x.data(), g.data(), dx.data());
  // Relative in the left tail, where the exponent -x^2 / 2 is rounded at a size of up to 72.
  double worst = 0, worst_slope = 0;
  for (Index i = 0; i < n; ++i) {
    const double v = x[i], allowed = (4 + 2 * v * v) * epsilon;
    const double value = v * normal_distribution(v);
    const double slope = normal_distribution(v) + v * normal_density(v);
    const double slope_size = normal_distribution(v) + std::abs(v) * normal_density(v);
    const double tiny = 1e-36;  // near the smallest float
    worst = std::max(worst, std::abs(double{y[i]} - value) / (allowed * std::abs(value) + tiny));
    worst_slope = std::max(worst_slope, std::abs(double{dx[i]} - double{g[i]} * slope) /
                                            (allowed * std::abs(double{g[i]}) * slope_size + tiny));
  }
  CHECK(worst <= 1);
  CHECK(worst_slope <= 1);
}

TEST_CASE("kernels: GELU at every remainder, at the far ends and of NaN") {
  for_lengths(0, [](Index n, Index start) {
    const Row values = seeded_values(n + start, 7), up = seeded_values(n + start, 8);
    const Real *x = values.data() + start, *g = up.data() + start;
    const auto bound = [](Index) { return 100 * epsilon; };
    check_row(
        n, start, [&](Real* out) { gelu_row(n, x, out); },
        [&](Index i) { return x[i] * normal_distribution(x[i]); }, bound);
    check_row(
        n, start, [&](Real* out) { gelu_backward_row(n, x, g, out); },
        [&](Index i) { return g[i] * (normal_distribution(x[i]) + x[i] * normal_density(x[i])); },
        bound);
  });
  const Row x{0, 100, -100, Real(1e30), Real(-1e30), NAN}, ones(6, 1);
  Row y(6), dx(6);
  gelu_row(6, x.data(), y.data());
  gelu_backward_row(6, x.data(), ones.data(), dx.data());
  CHECK(Row(y.begin(), y.end() - 1) == Row{0, 100, 0, Real(1e30), 0});
  CHECK(dx[0] == doctest::Approx(0.5));
  CHECK(Row(dx.begin() + 1, dx.end() - 1) == Row{1, 0, 1, 0});
  CHECK(std::isnan(y[5]));
  CHECK(std::isnan(dx[5]));
}

TEST_CASE("kernels: layer norm of four large neighbours and of a constant row") {
  const Row four = layer_norm({40000, 40001, 40002, 40003}, Row(4, 1), Row(4, 0)).y;
  const double expected[] = {-1.341635, -0.447212, 0.447212, 1.341635};
  for (Index i = 0; i < 4; ++i) CHECK(std::abs(double{four[i]} - expected[i]) < 1e-3);

  const Row beta = seeded_values(256, 9), gamma = seeded_values(256, 10), x(256, 1234);
  const LayerNormResult constant = layer_norm(x, gamma, beta);
  CHECK(constant.y == beta);
  Row dx(256), d_gamma(256, 0), d_beta(256, 0);
  layer_norm_backward_row(256, x.data(), gamma.data(), constant.mean, constant.rstd, beta.data(),
                          dx.data(), d_gamma.data(), d_beta.data());
  for (const Real value : dx) CHECK(std::isfinite(value));
  CHECK(d_gamma == Row(256, 0));
  CHECK(d_beta == beta);
}

TEST_CASE("kernels: layer norm of a small spread about a large mean") {
  std::vector<double> exact(16);
  Row x(16);
  for (Index i = 0; i < 16; ++i) {
    x[i] = static_cast<Real>(static_cast<float>(1000 + static_cast<double>(i) * 1e-3));
    exact[i] = x[i];
  }
  const LayerNormResult result = layer_norm(x, Row(16, 1), Row(16, 0));
  const std::vector<double> expected = naive_layer_norm(exact, Row(16, 1), Row(16, 0));
  CHECK(std::abs(expected[0] + 1.34151) < 1e-5);
  Row dx(16), d_gamma(16, 0), d_beta(16, 0);
  layer_norm_backward_row(16, x.data(), Row(16, 1).data(), result.mean, result.rstd,
                          Row(16, 1).data(), dx.data(), d_gamma.data(), d_beta.data());
  for (Index i = 0; i < 16; ++i) {
    CHECK(std::abs(double{result.y[i]} - expected[i]) < 1e-5);
    CHECK(std::abs(double{d_gamma[i]} - expected[i]) < 1e-5);
  }
}

TEST_CASE("kernels: layer norm at every remainder") {
  for_lengths(2, [](Index n, Index start) {
    const Row values = seeded_values(n + start, 11), gamma = seeded_values(n, 12);
    const Row beta = seeded_values(n, 13);
    const Real* x = values.data() + start;
    const std::vector<double> expected =
        naive_layer_norm(std::vector<double>(x, x + n), gamma, beta);
    Real mean = 0, rstd = 0;
    // The difference from the mean is known to epsilon of the values, and rstd multiplies it.
    check_row(
        n, start,
        [&](Real* out) {
          layer_norm_row(n, x, gamma.data(), beta.data(), Real(1e-5), out, mean, rstd);
        },
        [&](Index i) { return expected[i]; },
        [&](Index) { return 16 * epsilon * (4 + 4 * double{rstd} * double{rstd}); });
  });
}

TEST_CASE("kernels: layer norm backward against central differences of the forward in double") {
  for (const Index n : Sizes{2, 3, 7, 8, 17, 64, 100}) {
    CAPTURE(n);
    const Row x = seeded_values(n, 14), gamma = seeded_values(n, 15), beta = seeded_values(n, 16);
    const Row g = seeded_values(n, 17), before = seeded_values(n, 18);
    const LayerNormResult forward = layer_norm(x, gamma, beta);
    Row dx(n), d_gamma = before, d_beta = before;
    layer_norm_backward_row(n, x.data(), gamma.data(), forward.mean, forward.rstd, g.data(),
                            dx.data(), d_gamma.data(), d_beta.data());
    const std::vector<double> exact(x.begin(), x.end());
    const auto loss = [&](Index i, double step) {
      std::vector<double> moved = exact;
      moved[i] += step;
      const std::vector<double> y = naive_layer_norm(moved, gamma, beta);
      double sum = 0;
      for (Index j = 0; j < n; ++j) sum += g[j] * y[j];
      return sum;
    };
    const std::vector<double> xhat = naive_layer_norm(exact, Row(n, 1), Row(n, 0));
    const double rstd = forward.rstd, bound = 100 * epsilon * (1 + rstd * rstd) + 1e-8 * rstd;
    for (Index i = 0; i < n; ++i) {
      const double numeric = (loss(i, 1e-5) - loss(i, -1e-5)) / 2e-5;
      CHECK(std::abs(double{dx[i]} - numeric) < bound);
      CHECK(std::abs(double{d_gamma[i]} - (before[i] + g[i] * xhat[i])) < bound);
      CHECK(d_beta[i] == before[i] + g[i]);
    }
  }
}

TEST_CASE("kernels: AdamW against its formula in double") {
  const Real correction1 = Real(1 / (1 - std::pow(0.9, 3)));
  const Real correction2 = Real(1 / (1 - std::pow(0.999, 3)));
  const AdamWStep step{Real(0.01),  Real(0.9),   Real(0.999), Real(1e-8),
                       Real(0.001), correction1, correction2, Real(0.7)};
  const double beta1 = step.beta1, beta2 = step.beta2;
  for_lengths(0, [&](Index n, Index start) {
    const Row gradient = seeded_values(n + start, 19);
    Row m = seeded_values(n + start, 20), v = seeded_values(n + start, 21);
    Row w = seeded_values(n + start, 22);
    for (Real& value : v) value = value * value;
    const Row m_before = m, v_before = v, w_before = w;
    adamw_row(n, step, gradient.data() + start, m.data() + start, v.data() + start,
              w.data() + start);
    Index wrong = 0;
    for (Index i = start; i < n + start; ++i) {
      const double g = double{step.gradient_scale} * double{gradient[i]};
      const double m_now = beta1 * m_before[i] + (1 - beta1) * g;
      const double v_now = beta2 * v_before[i] + (1 - beta2) * g * g;
      const double update = step.learning_rate * m_now * correction1 /
                            (std::sqrt(v_now * correction2) + step.epsilon);
      const double w_now = w_before[i] - step.decay * w_before[i] - update;
      const double size = 1 + std::abs(g) + std::abs(double{m_before[i]});
      wrong += !(std::abs(m[i] - m_now) <= 8 * epsilon * size);
      wrong += !(std::abs(v[i] - v_now) <= 8 * epsilon * (1 + v_now + g * g));
      wrong += !(std::abs(w[i] - w_now) <= 8 * epsilon * (1 + std::abs(w_now) + std::abs(update)));
    }
    CHECK(wrong == 0);
    for (Index i = 0; i < start; ++i) CHECK(w[i] == w_before[i]);
  });
}

TEST_CASE("kernels: the instruction set has a name") {
  CHECK_FALSE(std::string(simd_target_name()).empty());
}

TEST_CASE("kernels: NaN, infinity and underflow are those of IEEE 754") {
  volatile Real zero = 0, one = 1;
  CHECK(std::isnan(zero / zero));
  CHECK(std::isinf(one / zero));
  Real result = 1;
  const Real far = -1000;
  exp_row(1, &far, 0, &result);
  CHECK(result == 0);
  CHECK(std::exp(far) == 0);
}

TEST_CASE("kernels: a softmax in parts, on rows filled up to whole vectors") {
  constexpr Index width = 64;
  for (const Index n : Sizes{1, 3, 8, 17, 50, 64}) {
    CAPTURE(n);
    alignas(64) Real x[width], p[width], slope[width];
    const Row scores = seeded_values(width, 21), up = seeded_values(width, 22);
    std::copy_n(scores.data(), width, x);  // what stands past n must not count
    x[n - 1] = 3;
    double largest = 0, sum = 0;
    for (Index i = 0; i < n; ++i) largest = i == 0 ? x[0] : std::max<double>(largest, x[i]);
    for (const double floor : {-1e30, 5.0}) {
      std::copy_n(scores.data(), width, p);
      p[n - 1] = 3;
      const double shift = std::max(largest, floor);
      const PartialSoftmax part = softmax_part_row(n, static_cast<Real>(floor), p);
      CHECK(double{part.maximum} == shift);
      sum = 0;
      for (Index i = 0; i < n; ++i) {
        const double expected = std::exp(double{x[i]} - shift);
        CHECK(std::abs(double{p[i]} - expected) <= 8 * epsilon * expected);
        sum += expected;
      }
      CHECK(std::abs(double{part.sum} - sum) <= 64 * epsilon * sum);
    }
    std::copy_n(x, width, p);
    std::copy_n(up.data(), width, slope);
    softmax_slope_row(n, Real(1.5), Real(0.25), p, slope);
    const bool four = n % 4 != 0;  // every instruction set has at least four floats or two doubles
    if (four && !real_is_double) CHECK((p[n] == 0 && slope[n] == 0));
    for (Index i = 0; i < n; ++i) {
      const double expected = std::exp(double{x[i]} - 1.5);
      CHECK(std::abs(double{p[i]} - expected) <= 8 * epsilon * expected);
      CHECK(std::abs(double{slope[i]} - expected * (double{up[i]} - 0.25)) <=
            16 * epsilon * expected * (std::abs(double{up[i]}) + 1));
    }
  }
}

TEST_CASE("kernels: AdamW keeps its moments finite for every finite gradient") {
  const AdamWStep step{Real(0.1), Real(0.9), Real(0.999), Real(1e-8), 0, 10, 1000, 1};
  for_lengths(0, [&](Index n, Index start) {
    Row gradient(n + start, std::numeric_limits<Real>::max()), m(n + start, 0), v(n + start, 0);
    for (Index i = 0; i < n + start; i += 2) gradient[i] = -gradient[i];
    Row w(n + start, 1);
    adamw_row(n, step, gradient.data() + start, m.data() + start, v.data() + start,
              w.data() + start);
    Index wrong = 0;
    for (Index i = start; i < n + start; ++i) {
      wrong += !std::isfinite(m[i]) || !std::isfinite(v[i]) || !(v[i] > 0);
      wrong += !(std::abs(w[i] - (i % 2 == 0 ? 1.1 : 0.9)) < 1e-5);
    }
    CHECK(wrong == 0);
  });
}
