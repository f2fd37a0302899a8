#include "autograd/soft_topk.h"

#include <algorithm>
#include <cmath>

#include "tensor/require.h"

namespace bf {
namespace {

constexpr double budget_margin = 1e-3, least_slope = 1e-9;

/// p (1 - p), the derivative of a sigmoid of value p.
double slope(Real p) { return static_cast<double>(p) * (1 - static_cast<double>(p)); }

double sigmoid_of(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : 1 - 1 / (1 + std::exp(x)); }

/// theta with sum_h sigmoid((v_h - theta) / t) = k. The sum falls with theta, from at least k at
/// the lower end of the bracket (every term is k / H or more) to at most k at the upper; Newton's
/// step is taken where it stays inside the bracket, else the bracket is halved.
double solve_threshold(const Real* v, Index heads, double k, double t) {
  const auto [low, high] = std::minmax_element(v, v + heads);
  const double logit = std::log(k / (static_cast<double>(heads) - k));
  double below = static_cast<double>(*low) - t * logit,
         above = static_cast<double>(*high) - t * logit;
  double theta = 0.5 * (below + above);
  for (int step = 0; step < 200 && below < above; ++step) {
    double sum = 0, derivative = 0;
    for (Index h = 0; h < heads; ++h) {
      const double p = sigmoid_of((static_cast<double>(v[h]) - theta) / t);
      sum += p;
      derivative += p * (1 - p) / t;
    }
    (sum >= k ? below : above) = theta;
    const double newton = theta + (sum - k) / derivative;
    const double next = newton > below && newton < above ? newton : 0.5 * (below + above);
    if (next == theta || sum == k) break;
    theta = next;
  }
  return theta;
}

}  // namespace

Variable soft_topk(const Variable& scores, const Variable& budget, Real temperature) {
  require(scores.rank() == 2 && scores.dim(1) > 0 && budget.shape() == Shape{scores.dim(0)},
          "soft_topk: budget ", budget.shape(), " does not fit scores ", scores.shape());
  require(temperature > 0, "soft_topk: temperature must be positive, got ", temperature);
  const Index rows = scores.dim(0), heads = scores.dim(1);
  const double t = static_cast<double>(temperature), most = static_cast<double>(heads);
  Tensor p(scores.shape());
  for (Index b = 0; b < rows; ++b) {
    const Real* v = scores.value().row(b);
    const double wanted = static_cast<double>(budget.value()[b]);
    if (wanted >= most) {
      std::fill_n(p.row(b), heads, Real(1));
      continue;
    }
    const double k = std::clamp(wanted, budget_margin, most - budget_margin);
    const double theta = solve_threshold(v, heads, k, t);
    for (Index h = 0; h < heads; ++h) {
      p.row(b)[h] = static_cast<Real>(sigmoid_of((static_cast<double>(v[h]) - theta) / t));
    }
  }
  return record("soft_topk", p, {scores, budget},
                [p, t, dv = scores.grad_buffer(), dk = budget.grad_buffer()](const Tensor& g) {
                  Tensor d_scores(p.shape()), d_budget({p.dim(0)});
                  for (Index b = 0; b < p.dim(0); ++b) {
                    const Real *row = p.row(b), *up = g.row(b);
                    double sum_q = 0, sum_qg = 0;
                    for (Index h = 0; h < p.dim(1); ++h) {
                      const double q = std::max(slope(row[h]), least_slope);
                      sum_q += q;
                      sum_qg += q * static_cast<double>(up[h]);
                    }
                    const double mean = sum_qg / sum_q;
                    for (Index h = 0; h < p.dim(1); ++h) {
                      d_scores.row(b)[h] = static_cast<Real>(
                          slope(row[h]) * (static_cast<double>(up[h]) - mean) / t);
                    }
                    d_budget[b] = static_cast<Real>(mean);
                  }
                  if (dv.wanted()) dv.add(d_scores);
                  if (dk.wanted()) dk.add(d_budget);
                });
}

}  // namespace bf
