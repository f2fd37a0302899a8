#include "budgetformer/head_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/add.h"
#include "autograd/head_scale.h"
#include "autograd/multiply.h"
#include "autograd/reshape.h"
#include "autograd/scale.h"
#include "autograd/soft_topk.h"
#include "autograd/softmax.h"
#include "autograd/straight_through.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// gate_h = s H r_h: every head runs, with its share of the budget.
Variable paper_gates(const Variable& relevance, const Variable& budgets, Index heads) {
  const Index batch = budgets.dim(0);
  const Variable in_heads = reshape(scale(budgets, static_cast<Real>(heads)), {batch, 1});
  // Row b of r times s_b H: head_scale with B sequences of one token and one head of H columns.
  return head_scale(relevance, in_heads, Segments(std::vector<Index>(batch, 1)));
}

/// w_h = k min(1, e_h / sum of e over the selected), e_h = exp((u_h - largest selected u) / t).
void weigh_row(const Real* u, const Real* mask, Index heads, double t, double k, Real* w) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (Index h = 0; h < heads; ++h) {
    if (mask[h] != 0) largest = std::max(largest, static_cast<double>(u[h]));
  }
  const auto part = [&](Index h) { return std::exp((static_cast<double>(u[h]) - largest) / t); };
  for (Index h = 0; h < heads; ++h) sum += mask[h] != 0 ? part(h) : 0;
  for (Index h = 0; h < heads; ++h) w[h] = static_cast<Real>(k * std::min(part(h) / sum, 1.0));
}

/// du_h = (g_h w_h - m_h (w_h / k) sum_j g_j w_j) / t
void weigh_row_backward(const Real* w, const Real* mask, Index heads, double t, double k,
                        const Real* g, Real* du) {
  const auto through = [&](Index h) {  // g_h w_h, or 0 for a weight held at its most
    const double weight = static_cast<double>(w[h]);
    return mask[h] == 0 && weight >= k ? 0.0 : static_cast<double>(g[h]) * weight;
  };
  double sum = 0;
  for (Index h = 0; h < heads; ++h) sum += through(h);
  for (Index h = 0; h < heads; ++h) {
    const double share = static_cast<double>(mask[h]) * static_cast<double>(w[h]) / k;
    du[h] = static_cast<Real>((through(h) - share * sum) / t);
  }
}

}  // namespace

Index heads_to_run(double budget, Index heads) {
  const double most = static_cast<double>(heads), margin = std::max(1e-6, most / (1 << 24));
  const double wanted = std::ceil(budget * most - margin);
  return static_cast<Index>(std::min(most, std::max(1.0, wanted)));
}

bool HeadSelection::all() const {
  return std::all_of(counts.begin(), counts.end(), [this](Index k) { return k == heads; });
}

HeadSelection select_heads(const Tensor& scores, const Tensor& budgets) {
  require(scores.rank() == 2 && budgets.shape() == Shape{scores.dim(0)}, "select_heads: budgets ",
          budgets.shape(), " do not fit scores ", scores.shape());
  const Index heads = scores.dim(1);
  HeadSelection selection{heads, {}, Tensor::zeros(scores.shape()), budgets};
  std::vector<Index> order(heads);
  for (Index b = 0; b < scores.dim(0); ++b) {
    const Real* row = scores.row(b);
    const Index k = heads_to_run(static_cast<double>(budgets[b]), heads);
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return row[i] > row[j]; });
    for (Index i = 0; i < k; ++i) selection.mask.row(b)[order[i]] = 1;
    selection.counts.push_back(k);
  }
  return selection;
}

Variable add_noise(const Variable& scores, double nu, RandomStream noise) {
  if (nu == 0) return scores;
  const Variable gumbel(gumbel_tensor(scores.shape(), noise));
  return add(scores, scale(gumbel, static_cast<Real>(nu)));
}

Gates make_gates(const Variable& scores, const Variable& budgets, const BudgetConfig& config,
                 const PolicyState& state, RandomStream noise) {
  return make_gates(scores, add_noise(scores, state.noise, noise), budgets, config,
                    static_cast<Real>(state.temperature));
}

Gates make_gates(const Variable& scores, const Variable& noisy, const Variable& budgets,
                 const BudgetConfig& config, Real temperature) {
  const Index heads = scores.dim(1);
  Gates gates{{}, select_heads(noisy.value(), budgets.value())};
  if (config.estimator == Estimator::paper) {
    gates.gate = paper_gates(softmax(scores, temperature), budgets, heads);
    return gates;
  }
  const Variable p = soft_topk(noisy, scale(budgets, static_cast<Real>(heads)), temperature);
  const bool relaxed = config.estimator == Estimator::relaxed;
  gates.gate = relaxed ? p : straight_through(gates.selection.mask, p);
  if (config.weighting == Weighting::relevance) {
    gates.gate = multiply(gates.gate, relevance_weights(scores, temperature, gates.selection));
  }
  return gates;
}

Variable relevance_weights(const Variable& scores, Real temperature,
                           const HeadSelection& selection) {
  require(scores.shape() == selection.mask.shape(), "relevance_weights: scores ", scores.shape(),
          " do not fit the selection ", selection.mask.shape());
  require(temperature > 0, "relevance_weights: temperature must be positive, got ", temperature);
  const double t = static_cast<double>(temperature);
  Tensor w(scores.shape());
  for (Index b = 0; b < w.dim(0); ++b) {
    weigh_row(scores.value().row(b), selection.mask.row(b), selection.heads, t,
              static_cast<double>(selection.counts[b]), w.row(b));
  }
  return record("relevance_weights", w, {scores},
                [w, selection, t, du = scores.grad_buffer()](const Tensor& g) {
                  Tensor d(w.shape());
                  for (Index b = 0; b < w.dim(0); ++b) {
                    const auto k = static_cast<double>(selection.counts[b]);
                    weigh_row_backward(w.row(b), selection.mask.row(b), selection.heads, t, k,
                                       g.row(b), d.row(b));
                  }
                  du.add(d);
                });
}

}  // namespace bf
