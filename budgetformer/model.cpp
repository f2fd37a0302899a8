#include "budgetformer/model.h"

#include <cmath>
#include <vector>

#include "autograd/add.h"
#include "autograd/relu.h"
#include "autograd/scale.h"
#include "autograd/sum.h"
#include "tensor/profile.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// s = 0.018 and 0.982: beyond, the sigmoid has less than 1.8 % of its input's slope left.
constexpr double logit_limit = 4;

const BudgetConfig& checked(const BudgetConfig& config) {
  config.check();
  return config;
}

/// total + term, where total may still be undefined.
Variable plus(const Variable& total, const Variable& term) {
  return total.defined() ? add(total, term) : term;
}

/// mean over sequences of max(0, x - high) + max(0, low - x)
Variable hinge(const Variable& x, double low, double high) {
  const Variable above = relu(scale(x, 1, static_cast<Real>(-high)));
  const Variable below = relu(scale(x, -1, static_cast<Real>(low)));
  return mean(add(above, below));
}

/// A number for each sequence, made of its ids: FNV-1a (Fowler, Noll and Vo) over them.
std::vector<std::uint64_t> sequence_keys(const Ids& ids, const Segments& segments) {
  std::vector<std::uint64_t> keys(segments.count(), 14695981039346656037u);
  for (Index b = 0; b < segments.count(); ++b) {
    for (Index t = segments.begin(b); t < segments.end(b); ++t) {
      keys[b] = (keys[b] ^ static_cast<std::uint32_t>(ids[t])) * 1099511628211u;
    }
  }
  return keys;
}

/// For the part `share` of the sequences a budget k / H with k uniform in 1 ... H, else 0.   [B]
Tensor draw_budgets(double share, Index sequences, Index heads, RandomSource& random) {
  const RandomStream stream = random.next();
  Tensor budgets = Tensor::zeros({sequences});
  for (Index b = 0; b < sequences; ++b) {
    if (stream.uniform(2 * b) >= share) continue;
    const double k = 1 + std::floor(stream.uniform(2 * b + 1) * static_cast<double>(heads));
    budgets[b] = static_cast<Real>(k / static_cast<double>(heads));
  }
  return budgets;
}

}  // namespace

BudgetFormerClassifier::BudgetFormerClassifier(const TransformerConfig& config,
                                               const BudgetConfig& budget, std::uint64_t seed)
    : TransformerClassifier(config, seed,
                            [&](Index) {
                              return std::make_unique<AdaptiveMultiHeadAttention>(
                                  config, checked(budget), random());
                            }),
      budget_(budget) {
  for (Index i = 0; i < encoder().layers(); ++i) {
    attentions_.push_back(
        &dynamic_cast<AdaptiveMultiHeadAttention&>(encoder().layer(i).attention()));
  }
}

Variable BudgetFormerClassifier::forward(const Ids& ids, const Segments& segments) {
  if (!training() && ids.size() == segments.tokens()) {
    const ProfileScope scope(WorkKind::selection);
    for (auto* attention : attentions_) attention->set_sequence_keys(sequence_keys(ids, segments));
  }
  if (training() && budget_.jitter > 0 && !state_.dense) {
    const Tensor drawn = draw_budgets(budget_.jitter, segments.count(), config().heads, random());
    for (auto* attention : attentions_) attention->set_drawn_budgets(drawn);
  }
  return TransformerClassifier::forward(ids, segments);
}

void BudgetFormerClassifier::set_progress(double progress) {
  state_ = policy_at(budget_, progress);
  for (auto* attention : attentions_) attention->set_state(state_);
}

Variable BudgetFormerClassifier::policy_loss() const {
  const ProfileScope scope(WorkKind::selection);
  Variable total;
  const double share = 1 / static_cast<double>(attentions_.size());
  const auto add_term = [&](double weight, const Variable& term) {
    total = plus(total, scale(term, static_cast<Real>(weight * share)));
  };
  for (const auto* attention : attentions_) {
    const PolicyOutput& policy = attention->policy();
    if (policy.budgets.defined()) {
      if (budget_.hinge > 0) {
        add_term(budget_.hinge, hinge(policy.budgets, budget_.budget_min, budget_.budget_max));
      }
      if (budget_.logit_penalty > 0) {
        add_term(budget_.logit_penalty, hinge(policy.logits, -logit_limit, logit_limit));
      }
      if (state_.price > 0) add_term(state_.price, mean(policy.budgets));
    }
    if (policy.entropies.defined() && state_.entropy != 0) {
      add_term(-state_.entropy, mean(policy.entropies));
    }
  }
  return total;
}

void BudgetFormerClassifier::override_budget(std::optional<double> budget) {
  require(!budget || (*budget > 0 && *budget <= 1), "budget: must be in (0, 1], got ",
          budget.value_or(0));
  for (auto* attention : attentions_) attention->override_budget(budget);
}

void BudgetFormerClassifier::use_soft_gates(bool on) {
  for (auto* attention : attentions_) attention->use_soft_gates(on);
}

void BudgetFormerClassifier::use_random_gate(bool on) {
  for (auto* attention : attentions_) attention->use_random_gate(on);
}

void BudgetFormerClassifier::reset_statistics() {
  for (auto* attention : attentions_) attention->statistics().reset();
}

Index BudgetFormerClassifier::heads_run(Index sequence) const {
  Index sum = 0;
  for (const auto* attention : attentions_) {
    const HeadSelection& selection = attention->selection();
    require(sequence < selection.sequences(), "heads_run: sequence ", sequence,
            " is not one of the last batch's ", selection.sequences());
    sum += selection.counts[sequence];
  }
  return sum;
}

}  // namespace bf
