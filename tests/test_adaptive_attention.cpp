#include <doctest/doctest.h>

#include <cmath>

#include "autograd/head_scale.h"
#include "autograd/linear.h"
#include "autograd/scale.h"
#include "autograd/self_attention.h"
#include "autograd/soft_topk.h"
#include "budgetformer/cost_model.h"
#include "tests/adaptive_layer.h"

using namespace bf;

namespace {

const Segments segments({5, 1, 140, 33});
Tensor tokens() { return seeded_tensor({179, 16}, 1); }

constexpr double tolerance = real_is_double ? 1e-12 : 2e-5;

}  // namespace

TEST_CASE("adaptive_attention: s = 1 is multi-head attention, bit for bit, forward and backward") {
  for (const Estimator estimator : {Estimator::straight_through, Estimator::relaxed}) {
    BudgetConfig config = fixed(1);
    config.estimator = estimator;
    Layer layer(config);
    RandomSource random(9);
    MultiHeadAttention plain(16, 4, random);
    copy_parameters(layer.attention, plain);
    const Tensor cotangent = seeded_tensor({179, 16}, 2);
    for (const bool training : {true, false}) {
      layer.attention.train(training);
      const Variable x(tokens(), true), x_plain(tokens(), true);
      layer.attention.zero_grad();
      plain.zero_grad();
      const Variable y = layer(x, segments), y_plain = plain.forward(x_plain, segments);
      CHECK(same_bits(y.value(), y_plain.value()));
      backward(y, cotangent);
      backward(y_plain, cotangent);
      CHECK(same_bits(x.grad(), x_plain.grad()));
      CHECK(gradient_difference(plain, layer.attention) == "");
      const NoGrad no_grad;
      CHECK(same_bits(layer(x, segments).value(), y_plain.value()));
    }
  }
}

TEST_CASE("adaptive_attention: the dense part of training is multi-head attention, too") {
  Layer layer(config_of(Policy::learned));
  layer.attention.set_state(policy_at({}, 0));
  RandomSource random(9);
  MultiHeadAttention plain(16, 4, random);
  copy_parameters(layer.attention, plain);
  const Variable x(tokens(), true), x_plain(tokens(), true);
  const Tensor cotangent = seeded_tensor({179, 16}, 2);
  const std::uint64_t uses = layer.random.uses();
  const Variable y = layer(x, segments), y_plain = plain.forward(x_plain, segments);
  CHECK(same_bits(y.value(), y_plain.value()));
  backward(y, cotangent);
  backward(y_plain, cotangent);
  CHECK(same_bits(x.grad(), x_plain.grad()));
  CHECK(gradient_difference(plain, layer.attention) == "");
  CHECK(with_gradient(layer.attention) ==
        std::vector<std::string>{"out.bias", "out.weight", "qkv.bias", "qkv.weight"});
  CHECK(layer.random.uses() == uses);
  CHECK(layer.attention.selection().all());
  CHECK(layer.attention.statistics().heads_mean() == 4);
  CHECK_FALSE(layer.attention.policy().budgets.defined());
  CHECK_FALSE(layer.attention.policy().entropies.defined());
}

TEST_CASE("adaptive_attention: after the dense part every parameter gets a gradient") {
  for (const Weighting weighting : {Weighting::none, Weighting::relevance}) {
    for (const Estimator estimator :
         {Estimator::straight_through, Estimator::relaxed, Estimator::paper}) {
      Layer layer(config_of(Policy::learned, weighting, estimator));
      backward(layer(Variable(tokens()), segments), seeded_tensor({179, 16}, 2));
      for (const auto& entry : by_name(layer.attention)) {
        CAPTURE(entry.first);
        REQUIRE(entry.second->grad().defined());
        double size = 0;
        for (const Real d : entry.second->grad().to_vector()) size += std::abs(double{d});
        CHECK(size > 0);
      }
    }
  }
}

TEST_CASE("adaptive_attention: evaluation runs the selected heads of the same function") {
  for (const Policy policy : {Policy::learned, Policy::fixed_budget, Policy::random_gate}) {
    for (const Weighting weighting : {Weighting::none, Weighting::relevance}) {
      for (const Estimator estimator :
           {Estimator::straight_through, Estimator::relaxed, Estimator::paper}) {
        BudgetConfig config = config_of(policy, weighting, estimator);
        config.fixed_budget = 0.5;
        Layer layer(config);
        layer.attention.train(false);
        const Tensor all_heads = layer(Variable(tokens()), segments).value();  // recorded
        const HeadSelection selection = layer.attention.selection();
        const NoGrad no_grad;
        Tensor dispatched;
        const Flops executed =
            counted([&] { dispatched = layer(Variable(tokens()), segments).value(); });
        CHECK(distance(dispatched, all_heads) < tolerance);
        CHECK(same_bits(layer.attention.selection().mask, selection.mask));
        CHECK_FALSE(selection.all());
        const Flops heads = attention_flops(segments, selection.counts, 16, 4);
        CHECK(executed.total() == heads.total() + policy_flops(4, 32, 16, 4, config).total());
      }
    }
  }
}

TEST_CASE("adaptive_attention: training with straight-through is what evaluation computes") {
  for (const Weighting weighting : {Weighting::none, Weighting::relevance}) {
    for (const bool all_heads : {false, true}) {
      Layer layer(config_of(Policy::learned, weighting));
      if (all_heads) layer.attention.override_budget(1);
      const Tensor trained = layer(Variable(tokens()), segments).value();
      layer.attention.train(false);
      const NoGrad no_grad;
      CHECK(distance(layer(Variable(tokens()), segments).value(), trained) < tolerance);
    }
  }
}

TEST_CASE("adaptive_attention: soft gates are those of training, and only in evaluation") {
  Layer hard(config_of(Policy::learned)),
      relaxed(config_of(Policy::learned, Weighting::none, Estimator::relaxed));
  copy_parameters(hard.attention, relaxed.attention);
  const Tensor soft = relaxed(Variable(tokens()), segments).value();
  const Tensor trained = hard(Variable(tokens()), segments).value();
  hard.attention.use_soft_gates(true);
  CHECK(same_bits(hard(Variable(tokens()), segments).value(), trained));
  hard.attention.train(false);
  const NoGrad no_grad;
  CHECK(same_bits(hard(Variable(tokens()), segments).value(), soft));
  hard.attention.use_soft_gates(false);
  CHECK(distance(hard(Variable(tokens()), segments).value(), soft) > 1e-3);
}

TEST_CASE("adaptive_attention: a sequence does not see its neighbours") {
  for (const Policy policy : {Policy::learned, Policy::fixed_budget, Policy::random_gate}) {
    for (const bool soft : {false, true}) {
      BudgetConfig config = config_of(policy, Weighting::relevance);
      config.fixed_budget = 0.5;
      Layer layer(config);
      layer.attention.train(false);
      layer.attention.use_soft_gates(soft);
      const NoGrad no_grad;
      const Tensor x = seeded_tensor({205, 16}, 7);
      layer.attention.set_sequence_keys({400, 300});
      const Tensor together = layer(Variable(x), Segments({200, 5})).value();
      const HeadSelection both = layer.attention.selection();
      layer.attention.set_sequence_keys({300});
      const Tensor alone = layer(Variable(x.rows(200, 5)), Segments({5})).value();
      CHECK(same_bits(together.rows(200, 5), alone));
      CHECK(same_bits(both.mask.rows(1, 1), layer.attention.selection().mask));
      CHECK(both.counts[1] == layer.attention.selection().counts[0]);
      CHECK(std::abs(both.budgets[1] - layer.attention.selection().budgets[0]) < Real(1e-6));
    }
  }
}

TEST_CASE("adaptive_attention: evaluation draws nothing and repeats itself") {
  for (const Policy policy : {Policy::learned, Policy::random_gate}) {
    Layer layer(config_of(policy));
    PolicyState state = middle_state();
    state.noise = 1;
    layer.attention.set_state(state);
    layer.attention.train(false);
    const NoGrad no_grad;
    const std::uint64_t uses = layer.random.uses();
    const Tensor first = layer(Variable(tokens()), segments).value();
    CHECK(same_bits(layer(Variable(tokens()), segments).value(), first));
    CHECK(layer.random.uses() == uses);
  }
}

TEST_CASE("adaptive_attention: noise in training is a function of seed and step") {
  for (const Policy policy : {Policy::learned, Policy::random_gate}) {
    Layer layer(config_of(policy, Weighting::none, Estimator::relaxed));
    PolicyState state = middle_state();
    state.noise = 1;
    layer.attention.set_state(state);
    const auto at_step = [&](std::uint64_t step) {
      layer.random.begin_step(step);
      const Tensor y = layer(Variable(tokens()), segments).value();
      CHECK(layer.random.uses() == 2);  // noise of the budgets and of the scores
      return y;
    };
    const Tensor third = at_step(3);
    CHECK_FALSE(same_bits(at_step(4), third));
    CHECK(same_bits(at_step(3), third));
  }
}

TEST_CASE("adaptive_attention: random heads use all heads, by the key of the sequence alone") {
  Layer layer(config_of(Policy::random_gate));
  layer.attention.train(false);
  const NoGrad no_grad;
  const Variable x(seeded_tensor({400, 16}, 1));
  const Segments single(std::vector<Index>(400, 1));
  std::vector<std::uint64_t> keys(400);
  for (Index b = 0; b < 400; ++b) keys[b] = b / 2 * 77;
  layer.attention.set_sequence_keys(keys);
  layer.attention.override_budget(0.25);
  layer(x, single);
  const HeadSelection& selection = layer.attention.selection();
  for (Index b = 0; b < 400; b += 2) {
    CHECK(same_bits(selection.mask.rows(b, 1), selection.mask.rows(b + 1, 1)));
  }
  for (const double usage : layer.attention.statistics().head_usage()) {
    CHECK((usage > 0.12 && usage < 0.38));  // 0.25 within four deviations of 200 draws
  }
  CHECK_FALSE(layer.attention.policy().entropies.defined());
}

TEST_CASE("adaptive_attention: random heads are drawn in training when the noise has ended, too") {
  Layer layer(config_of(Policy::random_gate));  // in a state without noise
  layer.attention.override_budget(0.25);
  layer(Variable(seeded_tensor({400, 16}, 1)), Segments(std::vector<Index>(400, 1)));
  for (const double usage : layer.attention.statistics().head_usage()) {
    CHECK((usage > 0.12 && usage < 0.38));
  }
}

TEST_CASE("adaptive_attention: a learned gate can be replaced by a random one in evaluation") {
  Layer layer(config_of(Policy::learned));
  layer.attention.train(false);
  const NoGrad no_grad;
  layer(Variable(tokens()), segments);
  const HeadSelection learned = layer.attention.selection();
  layer.attention.use_random_gate(true);
  layer(Variable(tokens()), segments);
  CHECK(layer.attention.selection().counts == learned.counts);
  CHECK_FALSE(same_bits(layer.attention.selection().mask, learned.mask));
  layer.attention.use_random_gate(false);
  layer(Variable(tokens()), segments);
  CHECK(same_bits(layer.attention.selection().mask, learned.mask));
}

TEST_CASE("adaptive_attention: an overriding budget is every sequence's, and leaves the loss") {
  Layer layer(config_of(Policy::learned));
  layer.attention.train(false);
  const NoGrad no_grad;
  layer.attention.override_budget(0.75);
  layer(Variable(tokens()), segments);
  CHECK(layer.attention.selection().counts == std::vector<Index>{3, 3, 3, 3});
  CHECK_FALSE(layer.attention.policy().budgets.defined());
  CHECK(layer.attention.statistics().saturated() == 0);
  layer.attention.override_budget(std::nullopt);
  layer(Variable(tokens()), segments);
  CHECK(layer.attention.policy().budgets.defined());
}

TEST_CASE("adaptive_attention: parameters, and their learning rates") {
  BudgetConfig config = config_of(Policy::learned);
  config.controller_rate = 7;
  Layer learned(config), single(config_of(Policy::fixed_budget)),
      random(config_of(Policy::random_gate));
  for (const NamedParameter& parameter : learned.attention.named_parameters()) {
    const bool policy =
        parameter.name.rfind("controller.", 0) == 0 || parameter.name.rfind("gate.", 0) == 0;
    CHECK(parameter.options.rate == (policy ? 7 : 1));
  }
  CHECK(by_name(learned.attention).count("controller.output.bias") == 1);
  CHECK(by_name(single.attention).count("controller.output.bias") == 0);
  CHECK(by_name(single.attention).count("gate.score.weight") == 1);
  CHECK(by_name(random.attention).count("gate.score.weight") == 0);
  CHECK(by_name(random.attention).count("controller.output.bias") == 1);
}

TEST_CASE("adaptive_attention: gradients of the relaxed layer" * doctest::skip(!real_is_double)) {
  TransformerConfig config = small_model();
  config.dim = 8;
  for (const Pool pool : {Pool::mean, Pool::meanmax}) {
    for (const Weighting weighting : {Weighting::none, Weighting::relevance}) {
      BudgetConfig budget = config_of(Policy::learned, weighting, Estimator::relaxed);
      budget.pool = pool;
      Layer layer(budget, config);
      const Variable x = random_input({9, 8}, 1);
      std::vector<Variable> inputs = parameters_of(layer.attention);
      inputs.push_back(x);
      CHECK(gradient_fault(
                "adaptive_attention",
                [&](const std::vector<Variable>&) {
                  return layer(x, Segments({3, 1, 5}));
                },
                inputs) == "");
    }
  }
}

TEST_CASE("adaptive_attention: straight-through is the relaxed gradient at the hard forward") {
  Layer layer(config_of(Policy::learned));
  const Tensor cotangent = seeded_tensor({179, 16}, 2);
  const Variable x(tokens());
  backward(layer(x, segments), cotangent);

  // The same with a gate that is a leaf of value m; its gradient then goes through p.
  auto p = by_name(layer.attention);
  const Variable gate(layer.attention.selection().mask, true);
  const Variable heads = self_attention(linear(x, *p["qkv.weight"], *p["qkv.bias"]), segments, 4);
  backward(linear(head_scale(heads.detach(), gate, segments), *p["out.weight"], *p["out.bias"]),
           cotangent);
  std::map<std::string, Tensor> expected;
  for (const auto& [name, variable] : p) {
    if (name.rfind("controller.", 0) == 0 || name.rfind("gate.", 0) == 0) {
      expected[name] = variable->grad();
    }
  }
  CHECK(expected.size() == 6);
  Layer relaxed(config_of(Policy::learned, Weighting::none, Estimator::relaxed));
  copy_parameters(layer.attention, relaxed.attention);
  auto q = by_name(relaxed.attention);
  SequencePool pool(16, Pool::meanmax);
  RandomSource random(1);
  BudgetController controller(32, 16, random);
  HeadGate head_gate(32, 4, random);
  const auto give = [&](const std::string& prefix, Module& module) {
    for (const auto& [name, variable] : by_name(module)) {
      variable->mutable_value() = q[prefix + name]->value();
    }
  };
  give("pool.", pool);
  give("controller.", controller);
  give("gate.", head_gate);
  const Variable pooled = pool.forward(x, segments);
  const Variable soft =
      soft_topk(head_gate.forward(pooled), scale(controller.forward(pooled).budgets, 4), Real(0.7));
  backward(soft, gate.grad());
  const auto compare = [&](const std::string& prefix, Module& module) {
    for (const auto& [name, variable] : by_name(module)) {
      CHECK(distance(variable->grad(), expected.at(prefix + name)) < 10 * tolerance);
    }
  };
  compare("controller.", controller);
  compare("gate.", head_gate);
}

TEST_CASE("adaptive_attention: sparse training is the same function, of which only heads run") {
  for (const Weighting weighting : {Weighting::none, Weighting::relevance}) {
    BudgetConfig config = fixed(0.5, weighting);
    Layer dense(config), sparse(config);
    PolicyState state = middle_state();
    state.sparse = true;
    sparse.attention.set_state(state);
    const Variable x(tokens(), true), x_sparse(tokens(), true);
    const Tensor cotangent = seeded_tensor({179, 16}, 2);
    const Variable y = dense(x, segments);
    Variable y_sparse;
    const Flops executed = counted([&] { y_sparse = sparse(x_sparse, segments); });
    CHECK(distance(y_sparse.value(), y.value()) < tolerance);
    const HeadSelection& selection = sparse.attention.selection();
    CHECK(same_bits(selection.mask, dense.attention.selection().mask));
    CHECK(executed.total() == attention_flops(segments, selection.counts, 16, 4).total() +
                                  policy_flops(4, 32, 16, 4, config).total());
    backward(y, cotangent);
    backward(y_sparse, cotangent);
    const auto wanted = by_name(dense.attention);
    for (const auto& entry : by_name(sparse.attention)) {
      CAPTURE(entry.first);
      REQUIRE(entry.second->grad().defined());
      // Controller and gate hear from the gates of the selected heads alone.
      const bool projection = entry.first.starts_with("qkv.") || entry.first.starts_with("out.");
      const double apart = distance(entry.second->grad(), wanted.at(entry.first)->grad());
      CHECK((apart < 10 * tolerance) == projection);
    }
  }
}

TEST_CASE("adaptive_attention: sparse training with all heads is dense training, bit for bit") {
  Layer dense(fixed(1)), sparse(fixed(1));
  PolicyState state = middle_state();
  state.sparse = true;
  sparse.attention.set_state(state);
  const Variable x(tokens(), true), x_sparse(tokens(), true);
  const Tensor cotangent = seeded_tensor({179, 16}, 2);
  const Variable y = dense(x, segments), y_sparse = sparse(x_sparse, segments);
  CHECK(same_bits(y.value(), y_sparse.value()));
  backward(y, cotangent);
  backward(y_sparse, cotangent);
  CHECK(same_bits(x.grad(), x_sparse.grad()));
  CHECK(gradient_difference(dense.attention, sparse.attention) == "");
}

TEST_CASE("adaptive_attention: sparse is for training; evaluation and its soft gates stay") {
  Layer layer(config_of(Policy::learned));
  layer.attention.train(false);
  layer.attention.use_soft_gates(true);
  const NoGrad no_grad;
  const Tensor soft = layer(Variable(tokens()), segments).value();
  PolicyState state = middle_state();
  state.sparse = true;
  layer.attention.set_state(state);
  CHECK(same_bits(layer(Variable(tokens()), segments).value(), soft));
}
