#include "budgetformer/adaptive_attention.h"

#include "autograd/add.h"
#include "autograd/entropy.h"
#include "autograd/head_scale.h"
#include "autograd/multiply.h"
#include "autograd/self_attention.h"
#include "budgetformer/head_dispatch.h"
#include "tensor/profile.h"

namespace bf {
namespace {

/// s where nothing was drawn (0), else what was drawn, without a gradient to s.
Variable with_drawn(const Variable& budgets, const Tensor& drawn) {
  Tensor own(drawn.shape());
  for (Index b = 0; b < own.size(); ++b) own[b] = drawn[b] > 0 ? 0 : 1;
  return add(multiply(budgets, Variable(own)), Variable(drawn));
}

/// Every head for every sequence: the dense warm start.
HeadSelection full_selection(Index sequences, Index heads) {
  return {heads, std::vector<Index>(sequences, heads), Tensor::full({sequences, heads}, 1),
          Tensor::full({sequences}, 1)};
}

}  // namespace

AdaptiveMultiHeadAttention::AdaptiveMultiHeadAttention(const TransformerConfig& config,
                                                       const BudgetConfig& budget,
                                                       RandomSource& random)
    : budget_(budget),
      heads_(config.heads),
      random_(random),
      qkv_(add_module<Linear>("qkv", config.dim,
                              3 * heads_ * head_width(config.dim, heads_, config.width), random)),
      out_(add_module<Linear>("out", heads_ * head_width(config.dim, heads_, config.width),
                              config.dim, random)),
      pool_(add_module<SequencePool>("pool", config.dim, budget.pool)),
      state_(inference_policy(budget)),
      statistics_(config.heads) {
  initialise_qkv(qkv_, random);
  eval_noise_ = random.next();
  if (budget.policy != Policy::fixed_budget) {
    controller_ = &add_module<BudgetController>("controller", pool_.width(), config.dim, random);
    controller_->multiply_rate(budget.controller_rate);
  }
  if (budget.policy != Policy::random_gate) {
    gate_ = &add_module<HeadGate>("gate", pool_.width(), heads_, random);
    gate_->multiply_rate(budget.controller_rate);
  }
}

Variable AdaptiveMultiHeadAttention::forward(const Variable& x, const Segments& segments) {
  if (state_.dense && !override_) {
    policy_ = {};
    selection_ = full_selection(segments.count(), heads_);
    statistics_.add(selection_, {}, {});
    return forward_all_heads(x, segments, nullptr);
  }
  const Scores scores = score(x, segments);
  if (training() || recording() || soft_gates_) {
    const Variable gate = choose_gates(scores);
    if (training() && state_.sparse && !selection_.all()) {
      return dispatch_heads(x, segments, selection_, gate, qkv_, out_);
    }
    return forward_all_heads(x, segments, &gate);
  }
  choose_heads(scores);
  if (selection_.all() && budget_.weighting == Weighting::none) {
    return forward_all_heads(x, segments, nullptr);
  }
  Variable weights;
  if (budget_.weighting == Weighting::relevance) {
    weights = relevance_weights(scores.scores, static_cast<Real>(state_.temperature), selection_);
  }
  return dispatch_heads(x, segments, selection_, weights, qkv_, out_);
}

Variable AdaptiveMultiHeadAttention::forward_all_heads(const Variable& x, const Segments& segments,
                                                       const Variable* gate) {
  const Variable qkv = qkv_.forward(x);                                    // [tokens, 3 H d]
  const Variable heads = self_attention(qkv, segments, heads_);            // [tokens, H d]
  return out_.forward(gate ? head_scale(heads, *gate, segments) : heads);  // [tokens, D]
}

AdaptiveMultiHeadAttention::Scores AdaptiveMultiHeadAttention::score(const Variable& x,
                                                                     const Segments& segments) {
  const ProfileScope scope(WorkKind::selection);
  const Index batch = segments.count();
  const Variable pooled = pool_.forward(x, segments);  // [B, Z]
  Scores result;
  const bool asks_gate = !random_heads();
  result.scores = asks_gate ? gate_->forward(pooled) : Variable(Tensor::zeros({batch, heads_}));
  if (controller_ && !override_) {
    result.budget = controller_->forward(pooled);
  } else {
    const double fraction = override_.value_or(budget_.fixed_budget);
    result.budget.budgets = Variable(Tensor::full({batch}, static_cast<Real>(fraction)));
  }
  policy_ = {};
  if (controller_ && !override_) {
    policy_.budgets = result.budget.budgets;
    policy_.logits = result.budget.logits;
  }
  const double nu = state_.noise * budget_.budget_noise;
  if (training() && policy_.logits.defined() && nu > 0) {
    result.budget.budgets = explore_budgets(policy_.logits, nu, random_.next());
  }
  if (training() && drawn_.defined()) {
    result.budget.budgets = with_drawn(result.budget.budgets, drawn_);
  }
  if (asks_gate) policy_.entropies = entropy(result.scores, static_cast<Real>(state_.temperature));
  return result;
}

Variable AdaptiveMultiHeadAttention::choose_gates(const Scores& scores) {
  const ProfileScope scope(WorkKind::selection);
  BudgetConfig config = budget_;
  if (!training()) {
    // What inference runs is the hard selection, whatever the estimator; "soft" is its relaxation.
    const bool hard = !soft_gates_;
    if (hard) config.estimator = Estimator::straight_through;
    if (!hard && config.estimator == Estimator::straight_through) {
      config.estimator = Estimator::relaxed;
    }
  }
  Gates gates = make_gates(scores.scores, with_noise(scores.scores), scores.budget.budgets, config,
                           static_cast<Real>(state_.temperature));
  note(std::move(gates.selection), scores);
  return gates.gate;
}

void AdaptiveMultiHeadAttention::choose_heads(const Scores& scores) {
  const ProfileScope scope(WorkKind::selection);
  note(select_heads(with_noise(scores.scores).value(), scores.budget.budgets.value()), scores);
}

void AdaptiveMultiHeadAttention::note(HeadSelection selection, const Scores& scores) {
  selection_ = std::move(selection);
  statistics_.add(selection_, policy_.entropies.value(), scores.budget.logits.value(),
                  scores.budget.hidden.value());
}

Variable AdaptiveMultiHeadAttention::with_noise(const Variable& scores) {
  if (training()) {
    const double nu = random_heads() ? 1 : state_.noise;
    return nu > 0 ? add_noise(scores, nu, random_.next()) : scores;
  }
  if (!random_heads()) return scores;
  Tensor noise(scores.shape());
  for (Index b = 0; b < noise.dim(0); ++b) {
    const std::uint64_t key = keys_.size() == noise.dim(0) ? keys_[b] : b;
    const RandomStream stream{eval_noise_.seed ^ key, eval_noise_.stream};
    for (Index h = 0; h < heads_; ++h) noise.row(b)[h] = static_cast<Real>(stream.gumbel(h));
  }
  return Variable(noise);
}

}  // namespace bf
