#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "autograd/add.h"
#include "autograd/cross_entropy.h"
#include "tensor/require.h"
#include "tests/policy.h"

using namespace bf;
using doctest::Approx;

namespace {

const Segments segments({5, 1, 140, 33});
const Ids targets(std::vector<Id>{0, 2, 1, 2});
Ids ids() { return seeded_ids(179, 1); }

BudgetConfig config_of(Policy policy, Estimator estimator = Estimator::straight_through) {
  BudgetConfig config;
  config.policy = policy, config.estimator = estimator;
  return config;
}

/// A model with seeded parameters, in the middle of its training.
struct Example {
  explicit Example(const BudgetConfig& budget, const TransformerConfig& config = small_model())
      : model(config, budget, 3) {
    disturb(model, 4, 0.3);
    model.set_progress(0.6);
  }
  Variable logits() { return model.forward(ids(), segments); }
  BudgetFormerClassifier model;
};

/// Sets the bias of every controller's output and its weight to 0, so that s = sigmoid(logit).
void set_logits(BudgetFormerClassifier& model, const std::vector<double>& logits) {
  const auto parameters = by_name(model);
  for (Index i = 0; i < logits.size(); ++i) {
    const std::string prefix = "layers." + std::to_string(i) + ".attention.controller.output.";
    parameters.at(prefix + "weight")->mutable_value().fill(0);
    parameters.at(prefix + "bias")->mutable_value().fill(static_cast<Real>(logits[i]));
  }
}

double logit_of(double s) { return std::log(s / (1 - s)); }

/// Value of the hinge alone and its derivative to s, with s in one layer and 0.5 in the other.
std::pair<double, double> hinge_at(double s, double low = 0.1, double high = 0.9) {
  BudgetConfig config = config_of(Policy::learned);
  config.entropy = 0, config.head_price = 0, config.hinge = 1;
  config.budget_min = low, config.budget_max = high;
  Example example(config);
  set_logits(example.model, {logit_of(s), 0});
  example.logits();
  const Variable loss = example.model.policy_loss();
  backward(loss);
  const Variable& bias = *by_name(example.model).at("layers.0.attention.controller.output.bias");
  // Means over two layers; every sequence has the same s, and ds/dlogit = s (1 - s).
  return {2 * double{loss.item()}, 2 * double{bias.grad()[0]} / (s * (1 - s))};
}

}  // namespace

TEST_CASE("model: with a fixed budget of 1 it is the Transformer, bit for bit") {
  BudgetConfig budget = config_of(Policy::fixed_budget);
  budget.fixed_budget = 1, budget.entropy = 0, budget.noise = 0;
  TransformerConfig config = small_model();
  config.dropout = 0.2;
  Example example(budget, config);
  BudgetFormerClassifier& model = example.model;
  TransformerClassifier plain(config, 3);
  copy_parameters(model, plain);
  const auto loss_of = [&](TransformerClassifier& classifier) {
    classifier.begin_step(7);
    return cross_entropy(classifier.forward(ids(), segments), targets);
  };
  for (const double progress : {0.0, 0.6, 1.0}) {
    model.set_progress(progress);
    model.zero_grad();
    plain.zero_grad();
    const Variable loss = loss_of(model), expected = loss_of(plain);
    CHECK(same_bits(loss.value(), expected.value()));
    CHECK_FALSE(model.policy_loss().defined());
    backward(loss);
    backward(expected);
    CHECK(gradient_difference(plain, model) == "");
  }
  model.train(false);
  plain.train(false);
  const NoGrad no_grad;
  CHECK(same_bits(model.forward(ids(), segments).value(), plain.forward(ids(), segments).value()));
}

TEST_CASE("model: a sequence does not see its neighbours: logits, budgets, heads, loss terms") {
  for (const Policy policy : {Policy::learned, Policy::fixed_budget, Policy::random_gate}) {
    BudgetConfig budget = config_of(policy);
    budget.fixed_budget = 0.5;
    Example example(budget);
    BudgetFormerClassifier& model = example.model;
    model.train(false);
    const NoGrad no_grad;
    const Ids both = seeded_ids(205, 1);
    const Tensor together = model.forward(both, Segments({200, 5})).value();
    std::vector<HeadSelection> selections;
    std::vector<PolicyOutput> outputs;
    for (Index i = 0; i < model.layers(); ++i) {
      selections.push_back(model.attention(i).selection());
      outputs.push_back(model.attention(i).policy());
    }
    const Ids second(std::vector<Id>(both.begin() + 200, both.end()));
    const Tensor alone = model.forward(second, Segments({5})).value();
    CHECK(same_bits(together.rows(1, 1), alone));
    for (Index i = 0; i < model.layers(); ++i) {
      const HeadSelection& selection = model.attention(i).selection();
      const PolicyOutput& output = model.attention(i).policy();
      CHECK(selection.counts[0] == selections[i].counts[1]);
      CHECK(same_bits(selection.mask, selections[i].mask.rows(1, 1)));
      CHECK(selection.budgets[0] == selections[i].budgets[1]);
      CHECK(output.budgets.defined() == (policy != Policy::fixed_budget));
      CHECK(output.entropies.defined() == (policy != Policy::random_gate));
      if (output.entropies.defined()) {
        const Tensor& entropies = outputs[i].entropies.value();
        CHECK(std::abs(output.entropies.value()[0] - entropies[1]) < Real(1e-6));
      }
    }
  }
}

TEST_CASE("model: sequences of one head and of all heads share a batch") {
  TransformerConfig config = small_model();
  config.heads = 8;
  Example example(config_of(Policy::learned), config);
  BudgetFormerClassifier& model = example.model;
  const auto parameters = by_name(model);
  model.train(false);
  const NoGrad no_grad;
  const Segments batch(std::vector<Index>(24, 6));
  const Ids all = seeded_ids(24 * 6, 2);
  for (Index i = 0; i < model.layers(); ++i) {  // the controller's logits far from 0, on both sides
    const std::string output = "layers." + std::to_string(i) + ".attention.controller.output.";
    Tensor& weight = parameters.at(output + "weight")->mutable_value();
    for (Index j = 0; j < weight.size(); ++j) weight[j] *= 1000;
    model.forward(all, batch);
    const Tensor& z = model.attention(i).policy().logits.value();
    std::vector<Real> sorted(z.data(), z.data() + z.size());
    std::nth_element(sorted.begin(), sorted.begin() + 12, sorted.end());
    parameters.at(output + "bias")->mutable_value()[0] -= sorted[12];
  }
  const Tensor logits = model.forward(all, batch).value();
  std::vector<std::vector<Index>> counts;
  for (Index i = 0; i < model.layers(); ++i) {
    counts.push_back(model.attention(i).selection().counts);
    REQUIRE(std::count(counts[i].begin(), counts[i].end(), 1) > 0);
    REQUIRE(std::count(counts[i].begin(), counts[i].end(), 8) > 0);
  }
  for (Index b = 0; b < 24; ++b) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(6 * b);
    const Ids one(std::vector<Id>(first, first + 6));
    CHECK(same_bits(model.forward(one, Segments({6})).value(), logits.rows(b, 1)));
    CHECK(model.heads_run(0) == counts[0][b] + counts[1][b]);
  }
}

TEST_CASE("model: the hinge is linear outside [0.1, 0.9] and flat inside") {
  for (const auto& [s, value, slope] :
       {std::array{0.05, 0.05, -1.0}, {0.101, 0, 0}, {0.5, 0, 0}, {0.899, 0, 0}, {0.95, 0.05, 1}}) {
    const auto [got_value, got_slope] = hinge_at(s);
    CHECK(got_value == Approx(value).epsilon(1e-4));
    CHECK(got_slope == Approx(slope).epsilon(1e-4));
  }
  // At a bound itself nothing is paid, and nothing pulls: s = 0.5 is free of rounding.
  CHECK(hinge_at(0.5, 0.5, 0.9) == std::pair{0.0, 0.0});
  CHECK(hinge_at(0.5, 0.1, 0.5) == std::pair{0.0, 0.0});
}

TEST_CASE("model: the policy's loss is hinge, price and entropy as means over layers") {
  BudgetConfig config = config_of(Policy::learned);
  config.hinge = 2, config.head_price = 0.6, config.entropy = 0.04;
  config.dense = 0, config.price_ramp = 0.5, config.explore = 1;
  Example example(config);
  example.model.set_progress(0.25);  // price 0.3, entropy weight 0.02
  set_logits(example.model, {logit_of(0.95), logit_of(0.4)});
  example.logits();
  double entropies = 0;
  for (Index i = 0; i < 2; ++i) {
    for (Index b = 0; b < 4; ++b) {
      entropies += double{example.model.attention(i).policy().entropies.value()[b]} / 8;
    }
  }
  CHECK(entropies > 0.1);
  CHECK(double{example.model.policy_loss().item()} ==
        Approx(2 * 0.05 / 2 + 0.3 * (0.95 + 0.4) / 2 - 0.02 * entropies).epsilon(1e-5));
}

TEST_CASE("model: without a part of the policy its terms are absent") {
  BudgetConfig config = config_of(Policy::fixed_budget);
  config.entropy = 0;
  Example fixed(config);
  fixed.logits();
  CHECK_FALSE(fixed.model.policy_loss().defined());
  Example random(config_of(Policy::random_gate));
  random.logits();
  CHECK(random.model.policy_loss().defined());
  CHECK_FALSE(random.model.attention(0).policy().entropies.defined());
  Example dense(config_of(Policy::learned));
  dense.model.set_progress(0);
  dense.logits();
  CHECK_FALSE(dense.model.policy_loss().defined());
}

TEST_CASE("model: a detached policy would show: who gets a gradient, and when") {
  Example example(config_of(Policy::learned));
  BudgetFormerClassifier& model = example.model;
  model.set_progress(0.1);
  backward(cross_entropy(example.logits(), targets));
  for (const auto& entry : by_name(model)) {
    const auto is = [&](const char* part) { return entry.first.find(part) != std::string::npos; };
    const bool policy =
        is("attention.controller.") || is("attention.gate.") || is("attention.pool.");
    CAPTURE(entry.first);
    CHECK(entry.second->grad().defined() == !policy);
  }
  model.zero_grad();
  model.set_progress(0.6);
  backward(cross_entropy(example.logits(), targets));  // by the gates alone, no policy loss
  for (const auto& entry : by_name(model)) {
    CAPTURE(entry.first);
    REQUIRE(entry.second->grad().defined());
    double size = 0;
    for (const Real d : entry.second->grad().to_vector()) size += std::abs(double{d});
    CHECK(size > 0);
  }
}

TEST_CASE("model: gradients of the policy's loss" * doctest::skip(!real_is_double)) {
  TransformerConfig config = small_model();
  config.vocabulary = 5, config.max_length = 6;
  BudgetConfig budget = config_of(Policy::learned, Estimator::relaxed);
  budget.budget_min = 0.6, budget.budget_max = 0.7, budget.noise = 0;  // budgets on both sides
  Example example(budget, config);
  BudgetFormerClassifier& model = example.model;
  CHECK(gradient_fault(
            "policy_loss",
            [&](const std::vector<Variable>&) {
              const Variable logits = model.forward(seeded_ids(9, 1, 5), Segments({4, 2, 3}));
              return add(cross_entropy(logits, Ids(std::vector<Id>{0, 2, 1})), model.policy_loss());
            },
            parameters_of(model)) == "");
}

TEST_CASE("model: evaluation draws nothing, repeats itself, and gradients do not matter to it") {
  for (const Policy policy : {Policy::learned, Policy::random_gate}) {
    TransformerConfig config = small_model();
    config.dropout = 0.3;
    Example example(config_of(policy), config);
    example.model.train(false);
    const std::uint64_t uses = example.model.random().uses();
    const Tensor recorded = example.logits().value();
    const NoGrad no_grad;
    const Tensor first = example.logits().value();
    CHECK(same_bits(example.logits().value(), first));
    CHECK(example.model.random().uses() == uses);
    CHECK(distance(recorded, first) < 1e-5);
  }
}

TEST_CASE("model: training with noise is a function of seed and step") {
  BudgetConfig config = config_of(Policy::learned, Estimator::relaxed);
  Example one(config), two(config);
  const auto at_step = [](Example& example, std::uint64_t step) {
    example.model.begin_step(step);
    return example.logits().value();
  };
  const Tensor fifth = at_step(one, 5);
  CHECK_FALSE(same_bits(at_step(one, 6), fifth));
  CHECK(same_bits(at_step(one, 5), fifth));
  CHECK(same_bits(at_step(two, 5), fifth));
  BudgetFormerClassifier other(small_model(), config, 4);
  copy_parameters(one.model, other);
  other.set_progress(0.6);
  other.begin_step(5);
  CHECK_FALSE(same_bits(other.forward(ids(), segments).value(), fifth));
}

TEST_CASE("model: the budget can be overridden in evaluation, within (0, 1]") {
  Example example(config_of(Policy::learned));
  BudgetFormerClassifier& model = example.model;
  model.train(false);
  const NoGrad no_grad;
  for (const Index k : Sizes{1, 2, 3, 4}) {
    model.override_budget(static_cast<double>(k) / 4);
    example.logits();
    for (Index b = 0; b < 4; ++b) CHECK(model.heads_run(b) == 2 * k);
  }
  for (const double budget : {0.0, -0.5, 1.5}) {
    CHECK(error_text<std::invalid_argument>([&] { model.override_budget(budget); }) ==
          join_parts("budget: must be in (0, 1], got ", budget));
  }
  CHECK(error_text<std::invalid_argument>([&] { model.heads_run(4); }) ==
        "heads_run: sequence 4 is not one of the last batch's 4");
  model.override_budget(std::nullopt);
  example.logits();
  CHECK(model.attention(0).policy().budgets.defined());
}

TEST_CASE("model: jitter gives its share of the texts random budgets, the same in every layer") {
  BudgetConfig config;
  config.jitter = 0.4, config.dense = 0, config.noise = 0, config.entropy = 0;
  BudgetFormerClassifier model(small_model(), config, 3);
  const Segments pairs(std::vector<Index>(500, 2));
  const Ids ids = seeded_ids(1000, 5);
  model.train();
  model.set_progress(0.5);
  model.begin_step(7);
  model.forward(ids, pairs);
  const HeadSelection first = model.attention(0).selection();
  // The controllers begin at s = sigmoid(1) = 0.73: 3 of 4 heads.
  std::vector<Index> seen(5, 0);
  for (const Index k : first.counts) ++seen[k];
  for (const Index k : std::vector<Index>{1, 2, 4})
    CHECK(seen[k] == doctest::Approx(50).epsilon(0.4));
  CHECK(seen[3] == doctest::Approx(350).epsilon(0.15));
  CHECK(model.attention(1).selection().counts == first.counts);

  // A budget that was drawn has no gradient to the controller, and the price is that of s.
  const Real price = model.policy_loss().item();
  model.begin_step(8);
  model.forward(ids, pairs);
  CHECK(model.attention(0).selection().counts != first.counts);
  CHECK(model.policy_loss().item() == price);
  model.train(false);
  model.forward(ids, pairs);
  CHECK(model.attention(0).selection().counts == std::vector<Index>(500, 3));
}

TEST_CASE("model: training tries budgets around the learned one, whose price is paid") {
  BudgetConfig config;
  config.dense = 0, config.entropy = 0;
  const Segments pairs(std::vector<Index>(60, 2));
  const Ids ids = seeded_ids(120, 5);
  const std::vector<Index> learned(60, 3);  // s = sigmoid(1) = 0.73 of 4 heads
  double losses[2] = {};
  for (const bool explores : {false, true}) {
    config.budget_noise = explores ? 1 : 0;
    BudgetFormerClassifier model(small_model(), config, 3);
    model.train();
    model.set_progress(0.2);
    model.begin_step(7);
    model.forward(ids, pairs);
    CHECK((model.attention(0).selection().counts == learned) == !explores);
    losses[explores] = static_cast<double>(model.policy_loss().item());
  }
  CHECK(losses[0] == losses[1]);
}

TEST_CASE("model: soft gates and a random gate change evaluation and can be taken back") {
  Example example(config_of(Policy::learned));
  BudgetFormerClassifier& model = example.model;
  model.train(false);
  const NoGrad no_grad;
  const Tensor hard = example.logits().value();
  model.use_soft_gates(true);
  CHECK_FALSE(same_bits(example.logits().value(), hard));
  model.use_soft_gates(false);
  model.use_random_gate(true);
  CHECK_FALSE(same_bits(example.logits().value(), hard));
  model.use_random_gate(false);
  CHECK(same_bits(example.logits().value(), hard));
}

TEST_CASE("model: statistics gather over batches and layers until they are reset") {
  Example example(config_of(Policy::learned));
  BudgetFormerClassifier& model = example.model;
  model.train(false);
  set_logits(model, {0, 7});
  const NoGrad no_grad;
  example.logits();
  example.logits();
  REQUIRE(model.layers() == 2);
  CHECK(model.attention(0).statistics().sequences() == 8);
  CHECK(model.attention(0).statistics().budget_mean() == Approx(0.5));
  CHECK(model.attention(0).statistics().heads_mean() == Approx(2));
  CHECK(model.attention(0).statistics().saturated() == 0);
  CHECK(model.attention(1).statistics().heads_mean() == Approx(4));
  CHECK(model.attention(1).statistics().saturated() == 1);
  model.reset_statistics();
  CHECK(model.attention(0).statistics().sequences() == 0);
  CHECK(model.attention(1).statistics().sequences() == 0);
}

TEST_CASE("model: a bad budget stops the construction") {
  BudgetConfig budget;
  budget.fixed_budget = 2;
  CHECK(error_text<std::invalid_argument>([&] {
          BudgetFormerClassifier(small_model(), budget, 1);
        }) == "fixed-budget: must be in (0, 1], got 2");
}
