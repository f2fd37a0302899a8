#include <doctest/doctest.h>

#include "budgetformer/cost_model.h"
#include "tests/policy.h"

using namespace bf;

namespace {

const Segments segments({5, 1, 140, 33});
const Index tokens = 179;

/// Operations of one forward of the model.
Flops executed(TransformerClassifier& model) {
  return counted([&] { model.forward(seeded_ids(tokens, 1), segments); });
}

void check_equal(const Flops& a, const Flops& b) {
  CHECK(a.linear == b.linear);
  CHECK(a.attention == b.attention);
}

}  // namespace

TEST_CASE("cost_model: figures of single layers") {
  CHECK(attention_core_flops(64, 12, 64) == 12582912);
  const Flops all = attention_flops(Segments({64}), {8}, 768, 96);
  CHECK(all.total() == 314572800);
  CHECK(all.attention == 12582912);
  CHECK(attention_flops(Segments({64}), {1}, 768, 96).total() == 39321600);
  const TransformerConfig config{.vocabulary = 9, .classes = 1, .dim = 768, .layers = 1};
  CHECK(rest_flops(config, Segments({64})).total() == 603979776 + 2 * 768);
}

TEST_CASE("cost_model: the paper's accounting saves in the core alone") {
  const Flops one = paper_attention_flops(Segments({64}), {1}, 768, 8, 96);
  CHECK(one.linear == 226492416 + 75497472);
  CHECK(one.attention == 12582912 / 8);
  check_equal(paper_attention_flops(segments, {4, 4, 4, 4}, 16, 4, 4),
              attention_flops(segments, {4, 4, 4, 4}, 16, 4));
}

TEST_CASE("cost_model: a dense classifier executes what the closed form says") {
  for (const Index width : Sizes{0, 6}) {
    for (const Index ffn : Sizes{0, 24}) {
      TransformerConfig config = small_model();
      config.width = width, config.ffn = ffn;
      TransformerClassifier model(config, 1);
      check_equal(executed(model), dense_flops(config, segments));
      model.train(false);
      const NoGrad no_grad;
      check_equal(executed(model), dense_flops(config, segments));
    }
  }
}

TEST_CASE("cost_model: in training all heads are paid for, and the policy after the dense part") {
  const TransformerConfig config = small_model();
  const BudgetConfig budget;
  BudgetFormerClassifier model(config, budget, 1);
  model.set_progress(0);
  check_equal(executed(model), dense_flops(config, segments));
  model.set_progress(0.5);
  const Flops policy = policy_flops(4, 32, 16, 4, budget);
  CHECK(executed(model).total() == dense_flops(config, segments).total() + 2 * policy.total());
}

TEST_CASE("cost_model: once training is sparse, the selected heads are paid for alone") {
  const TransformerConfig config = small_model();
  BudgetConfig budget;
  budget.policy = Policy::fixed_budget;
  budget.fixed_budget = 0.5, budget.sparse_after = 0.7;
  BudgetFormerClassifier model(config, budget, 1);
  disturb(model, 3);
  const std::uint64_t policy = 2 * policy_flops(4, 32, 16, 4, budget).total();
  const std::uint64_t dense = dense_flops(config, segments).total() + policy;
  for (const double progress : {0.5, 0.8}) {
    model.set_progress(progress);
    const std::uint64_t forward = executed(model).total();
    std::uint64_t heads = rest_flops(config, segments).total() + policy;
    for (Index i = 0; i < model.layers(); ++i) {
      const HeadSelection& selection = model.attention(i).selection();
      CHECK_FALSE(selection.all());
      heads += attention_flops(segments, selection.counts, 16, 4).total();
    }
    CHECK(forward == (progress < budget.sparse_after ? dense : heads));
  }
}

TEST_CASE("cost_model: inference executes its heads, the policy and the rest") {
  const TransformerConfig config = small_model();
  for (const Policy policy : {Policy::learned, Policy::fixed_budget, Policy::random_gate}) {
    for (const Pool pool : {Pool::mean, Pool::max, Pool::meanmax}) {
      BudgetConfig budget;
      budget.policy = policy, budget.pool = pool, budget.fixed_budget = 0.5;
      BudgetFormerClassifier model(config, budget, 1);
      disturb(model, 3);
      model.train(false);
      const NoGrad no_grad;
      const Flops total = executed(model);
      const Index pooled = pool == Pool::meanmax ? 32 : 16;
      Flops expected = rest_flops(config, segments);
      for (Index i = 0; i < model.layers(); ++i) {
        const HeadSelection& selection = model.attention(i).selection();
        const Flops heads = attention_flops(segments, selection.counts, 16, 4);
        expected.linear += heads.linear + policy_flops(4, pooled, 16, 4, budget).linear;
        expected.attention += heads.attention;
      }
      check_equal(total, expected);
      CHECK(total.total() < dense_flops(config, segments).total());
    }
  }
}

TEST_CASE("cost_model: choosing heads costs less than 2 % of the layer that runs one of eight") {
  const BudgetConfig budget;
  struct Size {
    Index dim, length;
  };
  for (const Size& size : {Size{128, 8}, {128, 256}, {256, 48}, {768, 64}, {768, 512}}) {
    const TransformerConfig config{.classes = 1, .dim = size.dim, .layers = 1};
    const Segments one({size.length});
    const double layer =
        static_cast<double>(attention_flops(one, {1}, size.dim, size.dim / 8).total() +
                            rest_flops(config, one).total());
    const auto policy = policy_flops(1, 2 * size.dim, size.dim, 8, budget).total();
    CHECK(static_cast<double>(policy) < 0.02 * layer);
  }
}
