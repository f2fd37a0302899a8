#include "train/pruning.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/small_task.h"
#include "train/fit.h"

using namespace bf;

namespace {

using Kept = std::vector<std::vector<Index>>;

Model trained_mha() {
  Model model = make_model(small_model("mha"));
  const TokenizedSplit split = small_split(64, 5);
  fit(model, split, split, small_training(2));
  return model;
}

Tensor& parameter(Model& model, const std::string& name) {
  for (const NamedParameter& p : model.net->named_parameters()) {
    if (p.name == name) return p.variable->mutable_value();
  }
  throw std::runtime_error("no parameter " + name);
}

/// The loss of one text with the output of head 2 of layer 1 multiplied by `factor`.
double loss_with(Model& model, const TokenizedSplit& one, Real factor) {
  Tensor& out = parameter(model, "layers.1.attention.out.weight");
  const Tensor before = out.clone();
  for (Index r = 0; r < out.dim(0); ++r) {
    for (Index c = 8; c < 12; ++c) out.row(r)[c] *= factor;
  }
  const double loss = evaluate(model, one).loss;
  parameter(model, "layers.1.attention.out.weight") = before;
  return loss;
}

}  // namespace

TEST_CASE("pruning: keeping all heads is the identity, bit for bit") {
  Model model = trained_mha();
  Model pruned = keep_heads(model, {{0, 1, 2, 3}, {0, 1, 2, 3}});
  CHECK(weights_of(pruned) == weights_of(model));
  const TokenizedSplit split = small_split(20, 9);
  CHECK(evaluate(pruned, split).texts.losses == evaluate(model, split).texts.losses);
}

TEST_CASE("pruning: heads that add nothing can be cut without changing the model") {
  Model model = trained_mha();
  for (const Index c : {Index{4}, Index{5}, Index{6}, Index{7}}) {  // head 1 of layer 0
    Tensor& out = parameter(model, "layers.0.attention.out.weight");
    for (Index r = 0; r < 16; ++r) out.row(r)[c] = 0;
  }
  for (Index c = 0; c < 4; ++c) {  // head 0 of layer 1
    Tensor& out = parameter(model, "layers.1.attention.out.weight");
    for (Index r = 0; r < 16; ++r) out.row(r)[c] = 0;
  }
  Model pruned = keep_heads(model, {{0, 2, 3}, {1, 2, 3}});
  CHECK(pruned.config.transformer.heads == 3);
  CHECK(pruned.config.transformer.width == 4);
  const TokenizedSplit split = small_split(30, 9);
  const auto cut = evaluate(pruned, split), whole = evaluate(model, split);
  for (Index i = 0; i < 30; ++i) {
    CHECK(cut.texts.losses[i] == doctest::Approx(whole.texts.losses[i]).epsilon(1e-4));
  }
  CHECK(cut.executed.total() < whole.executed.total());
}

TEST_CASE("pruning: a head whose output counts nothing has no importance and goes first") {
  Model model = trained_mha();
  Tensor& out = parameter(model, "layers.1.attention.out.weight");
  for (Index r = 0; r < 16; ++r) {
    for (Index c = 0; c < 4; ++c) out.row(r)[c] = 0;
  }
  const std::vector<Real> before = weights_of(model);
  const HeadImportance importance = head_importance(model, small_split(40, 9));
  CHECK(importance[1][0] == 0);
  CHECK(importance[1][1] > 0);
  CHECK(importance[0][0] > 0);
  CHECK(most_important(importance, 3)[1] == std::vector<Index>{1, 2, 3});
  CHECK(weights_of(model) == before);
  CHECK(model.net->training());
}

TEST_CASE("pruning: importance is the mean size of each text's own slope") {
  Model model = trained_mha();
  const TokenizedSplit split = small_split(12, 9);
  double mean = 0;
  for (Index i = 0; i < 12; ++i) {
    const TokenizedSplit one{{split.tokens[i]}, {split.labels[i]}};
    const Real step = Real(0.05);
    const double rise = loss_with(model, one, 1 + step) - loss_with(model, one, 1 - step);
    mean += std::abs(rise) / (2 * static_cast<double>(step)) / 12;
  }
  CHECK(head_importance(model, split)[1][2] == doctest::Approx(mean).epsilon(0.02));
}

TEST_CASE("pruning: the largest importances stay, of equals the lower index") {
  CHECK(most_important({{0.1, 0.5, 0.3}, {2, 2, 2}}, 2) == Kept{{1, 2}, {0, 1}});
  CHECK_THROWS_WITH_AS(most_important({{1, 2}}, 3), "most_important: cannot keep 3 of 2 heads",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(most_important({{1, 2}}, 0), "most_important: cannot keep 0 of 2 heads",
                       std::invalid_argument);
}

TEST_CASE("pruning: what cannot be cut is named") {
  Model budget = make_model(small_model("budget")), model = make_model(small_model("mha"));
  CHECK_THROWS_WITH_AS(head_importance(budget, small_split(3, 1)),
                       "head_importance: the model must be mha, got budget", std::invalid_argument);
  CHECK_THROWS_WITH_AS(head_importance(model, {}), "head_importance: there is no text",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(keep_heads(budget, {{0}, {0}}),
                       "keep_heads: the model must be mha, got budget", std::invalid_argument);
  CHECK_THROWS_WITH_AS(keep_heads(model, {{0}}), "keep_heads: 1 lists of heads for 2 layers",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      keep_heads(model, {{0, 1}, {0}}),
      "keep_heads: every layer must keep the same number of heads, at least 1, got 1 and 2",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(keep_heads(model, {{0}, {4}}), "keep_heads: head 4 is outside 0..3",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(keep_heads(model, {{1, 1}, {0, 1}}),
                       "keep_heads: head 1 does not come after head 1", std::invalid_argument);
}
