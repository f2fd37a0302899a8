#include "budgetformer/head_selection.h"

#include <algorithm>
#include <cmath>
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

}  // namespace

Index heads_to_run(double budget, Index heads) {
  const double wanted = std::ceil(budget * static_cast<double>(heads) - 1e-6);
  return std::min(heads, static_cast<Index>(std::max(1.0, wanted)));
}

bool HeadSelection::all() const {
  return std::all_of(counts.begin(), counts.end(), [this](Index k) { return k == heads; });
}

HeadSelection select_heads(const Tensor& scores, const Tensor& budgets) {
  require(scores.rank() == 2 && budgets.shape() == Shape{scores.dim(0)},
          "select_heads: budgets ", budgets.shape(), " do not fit scores ", scores.shape());
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
  const Index heads = scores.dim(1);
  const auto tau = static_cast<Real>(state.temperature);
  const Variable v = add_noise(scores, state.noise, noise);
  Gates gates{{}, select_heads(v.value(), budgets.value())};
  const Variable relevance = softmax(scores, tau);
  if (config.estimator == Estimator::paper) {
    gates.gate = paper_gates(relevance, budgets, heads);
    return gates;
  }
  const Variable p = soft_topk(v, scale(budgets, static_cast<Real>(heads)), tau);
  gates.gate = config.estimator == Estimator::relaxed ? p : straight_through(gates.selection.mask, p);
  if (config.weighting == Weighting::relevance) {
    gates.gate = multiply(gates.gate, relevance_weights(relevance, gates.selection));
  }
  return gates;
}

Variable relevance_weights(const Variable& relevance, const HeadSelection& selection) {
  const Tensor &r = relevance.value(), &mask = selection.mask;
  require(r.shape() == mask.shape(), "relevance_weights: relevance ", r.shape(),
          " does not fit the selection ", mask.shape());
  const Index batch = r.dim(0), heads = r.dim(1);
  Tensor factor({batch}), w(r.shape());  // factor = k / n
  for (Index b = 0; b < batch; ++b) {
    Real selected = 0;
    for (Index h = 0; h < heads; ++h) selected += mask.row(b)[h] * r.row(b)[h];
    factor[b] = static_cast<Real>(selection.counts[b]) / selected;
    for (Index h = 0; h < heads; ++h) w.row(b)[h] = factor[b] * r.row(b)[h];
  }
  return record("relevance_weights", w, {relevance},
                [w, factor, selection, dr = relevance.grad_buffer()](const Tensor& g) {
                  Tensor d(w.shape());
                  for (Index b = 0; b < w.dim(0); ++b) {
                    Real inner = 0;
                    for (Index h = 0; h < w.dim(1); ++h) inner += g.row(b)[h] * w.row(b)[h];
                    const Real share = inner / static_cast<Real>(selection.counts[b]);
                    for (Index h = 0; h < w.dim(1); ++h) {
                      d.row(b)[h] = factor[b] * (g.row(b)[h] - selection.mask.row(b)[h] * share);
                    }
                  }
                  dr.add(d);
                });
}

}  // namespace bf
