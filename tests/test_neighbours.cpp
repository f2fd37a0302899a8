#include <doctest/doctest.h>

#include <algorithm>

#include "autograd/add.h"
#include "autograd/gradcheck.h"
#include "autograd/reshape.h"
#include "autograd/segment_max.h"
#include "autograd/segment_mean.h"
#include "autograd/self_attention.h"
#include "autograd/slice.h"
#include "tensor/require.h"
#include "tests/adaptive_layer.h"

// A packed batch has no padding and no mask. What these stand for elsewhere has to hold here: a
// sequence has its own result, budget, heads and gradients whatever stands before and after it.

using namespace bf;

namespace {

using SequenceFunction = std::function<Variable(const Variable& x, const Segments& segments)>;

/// Batches of 1 to 6 sequences of 1 to 512 tokens.
std::vector<std::vector<Index>> batches() {
  const std::vector<Index> lengths{1, 2, 5, 17, 64, 200, 512};
  const RandomStream random{5, 80};
  std::vector<std::vector<Index>> result{{5, 200}, {200, 5}, {5, 507}, {1, 5, 1}};
  for (Index batch = 0; batch < 6; ++batch) {
    result.emplace_back();
    for (Index i = 0; i <= batch; ++i) {
      result.back().push_back(lengths[random.word(10 * batch + i) % lengths.size()]);
    }
  }
  return result;
}

bool all_zero(const Tensor& tensor) {
  return std::all_of(tensor.data(), tensor.data() + tensor.size(), [](Real v) { return v == 0; });
}

/// Rows of the result that belong to sequence b: its tokens, or one row for each sequence.
Tensor rows_of(const Tensor& y, const Segments& segments, Index b) {
  if (y.dim(0) == segments.count()) return y.rows(b, 1);
  return y.rows(segments.begin(b), segments.length(b));
}

/// Compares each sequence of each batch with the sequence alone.
std::string value_difference(Index cols, const SequenceFunction& f) {
  for (const std::vector<Index>& lengths : batches()) {
    const Segments segments(lengths);
    const Tensor x = seeded_tensor({segments.tokens(), cols}, 3);
    const Tensor y = f(Variable(x), segments).value();
    for (Index b = 0; b < segments.count(); ++b) {
      const Variable own(x.rows(segments.begin(b), segments.length(b)));
      const Tensor alone = f(own, Segments({segments.length(b)})).value();
      if (same_bits(alone, rows_of(y, segments, b))) continue;
      return join_parts("sequence ", b, " of ", segments.count(), " in ", segments.tokens());
    }
  }
  return "";
}

/// A loss on one sequence of a batch: what of its gradients is not as if it stood alone. The tokens
/// around it get exactly 0; the parameters' gradients agree within `tolerance`.
std::string gradient_difference(Index cols, Module* module, const SequenceFunction& f,
                                double tolerance = real_is_double ? 1e-13 : 1e-6) {
  for (const std::vector<Index>& lengths : batches()) {
    const Segments segments(lengths);
    const Index b = segments.count() / 2, first = segments.begin(b), n = segments.length(b);
    const Variable x = random_input({segments.tokens(), cols}, 3);
    const Variable own(x.value().rows(first, n).clone(), true);
    const auto gradients = [&](const Variable& input, const Variable& y, const Tensor& g) {
      if (module != nullptr) module->zero_grad();
      backward(y, g);
      std::vector<Tensor> result{input.grad().clone()};
      if (module == nullptr) return result;
      for (const NamedParameter& p : module->named_parameters()) {
        const bool has = p.variable->grad().defined();  // none: nothing of the loss went there
        result.push_back(has ? p.variable->grad().clone() : Tensor::zeros(p.variable->shape()));
      }
      return result;
    };
    const Variable y_own = f(own, Segments({n}));
    const Tensor g = normal_tensor(y_own.shape(), 0, 1, {9, 9});
    const std::vector<Tensor> want = gradients(own, y_own, g);
    const Variable y = f(x, segments);
    const bool pooled = y.dim(0) == segments.count();
    const Variable seen = slice_rows(y, pooled ? b : first, y_own.dim(0));
    std::vector<Tensor> got = gradients(x, seen, g);
    const Tensor dx = got[0];
    got[0] = dx.rows(first, n);
    for (Index i = 0; i < got.size(); ++i) {
      if (distance(got[i], want[i]) > tolerance) {
        return join_parts("gradient ", i, " of sequence ", b, " of ", segments.count());
      }
    }
    const Index after = segments.tokens() - first - n;
    if (!all_zero(dx.rows(0, first)) || !all_zero(dx.rows(first + n, after))) {
      return join_parts("a neighbour of sequence ", b, " of ", segments.count(), " has a gradient");
    }
  }
  return "";
}

std::vector<BudgetConfig> policies() {
  std::vector<BudgetConfig> configs(4);
  configs[1].weighting = Weighting::relevance;
  configs[2].policy = Policy::fixed_budget, configs[2].fixed_budget = 0.5;
  configs[3].estimator = Estimator::relaxed, configs[3].pool = Pool::mean;
  return configs;
}

}  // namespace

TEST_CASE("neighbours: pooling and attention of a sequence have the bits they have alone") {
  const SequenceFunction mean = segment_mean, max = segment_max;
  const SequenceFunction attend = [](const Variable& x, const Segments& segments) {
    return self_attention(x, segments, 2);
  };
  for (const SequenceFunction& f : {mean, max, attend}) {
    CHECK(value_difference(12, f) == "");
    CHECK(gradient_difference(12, nullptr, f, 0) == "");
  }
  for (const Pool kind : {Pool::mean, Pool::max, Pool::meanmax}) {
    SequencePool pool(6, kind);
    const SequenceFunction f = [&](const Variable& x, const Segments& segments) {
      return pool.forward(x, segments);
    };
    CHECK(value_difference(6, f) == "");
    CHECK(gradient_difference(6, &pool, f) == "");
  }
}

TEST_CASE("neighbours: multi-head attention and an encoder see one sequence at a time") {
  RandomSource random(1);
  MultiHeadAttention attention(16, 4, random);
  TransformerConfig config = small_model();
  config.layers = 1;
  const AttentionFactory factory = [&](Index) {
    return std::make_unique<MultiHeadAttention>(16, 4, random);
  };
  Encoder encoder(config, factory, random);
  const SequenceFunction attend = [&](const Variable& x, const Segments& segments) {
    return attention.forward(x, segments);
  };
  const SequenceFunction encode = [&](const Variable& x, const Segments& segments) {
    return encoder.forward(x, segments);
  };
  CHECK(value_difference(16, attend) == "");
  CHECK(value_difference(16, encode) == "");
  CHECK(gradient_difference(16, &attention, attend) == "");
  CHECK(gradient_difference(16, &encoder, encode, real_is_double ? 1e-12 : 1e-5) == "");
}

TEST_CASE("neighbours: chosen heads, in training and in evaluation, with one and with all heads") {
  for (const BudgetConfig& config : policies()) {
    Layer training(config), evaluation(config);
    evaluation.attention.train(false);
    const SequenceFunction train = std::ref(training);
    const SequenceFunction evaluate = [&](const Variable& x, const Segments& segments) {
      const NoGrad no_grad;
      return evaluation(x, segments);
    };
    CHECK(value_difference(16, train) == "");
    CHECK(value_difference(16, evaluate) == "");
    CHECK(gradient_difference(16, &training.attention, train, real_is_double ? 1e-12 : 1e-5) == "");
    for (const double budget : {0.25, 1.0}) {
      evaluation.attention.override_budget(budget);
      CHECK(value_difference(16, evaluate) == "");
    }
  }
}

TEST_CASE(
    "neighbours: logits, budgets, heads and the policy's terms of a text, wherever it stands") {
  TransformerConfig config = small_model();
  config.max_length = 512;
  BudgetFormerClassifier model(config, {}, 3);
  disturb(model, 4, 0.3);
  model.train(false);
  const NoGrad no_grad;
  struct Seen {
    Tensor logits;
    std::vector<Index> counts;
    std::vector<Tensor> masks, terms;
  };
  const auto text = [&](const Ids& ids, const Segments& segments, Index b) {
    Seen seen{model.forward(ids, segments).value().rows(b, 1), {}, {}, {}};
    for (Index i = 0; i < model.layers(); ++i) {
      const PolicyOutput& policy = model.attention(i).policy();
      seen.counts.push_back(model.attention(i).selection().counts[b]);
      seen.masks.push_back(model.attention(i).selection().mask.rows(b, 1));
      for (const Variable* term : {&policy.budgets, &policy.logits, &policy.entropies}) {
        seen.terms.push_back(term->value().rows(b, 1));
      }
    }
    return seen;
  };
  const Ids own = seeded_ids(5, 1);
  const Seen alone = text(own, Segments({5}), 0);
  for (const Index before : Sizes{0, 1, 200, 507}) {
    for (const Index after : Sizes{0, 1, 200, 507}) {
      std::vector<Id> ids(before, 7);
      ids.insert(ids.end(), own.begin(), own.end());
      ids.insert(ids.end(), after, 11);
      std::vector<Index> lengths{5};
      if (before > 0) lengths.insert(lengths.begin(), before);
      if (after > 0) lengths.push_back(after);
      const Seen among = text(ids, Segments(lengths), before > 0);
      CHECK(same_bits(among.logits, alone.logits));
      CHECK(among.counts == alone.counts);
      for (Index i = 0; i < alone.masks.size(); ++i) {
        CHECK(same_bits(among.masks[i], alone.masks[i]));
      }
      for (Index i = 0; i < alone.terms.size(); ++i) {
        CHECK(same_bits(among.terms[i], alone.terms[i]));
      }
    }
  }
}

TEST_CASE("neighbours: a result that leaks from one sequence into the next is found") {
  // The mean over the batch is added to every row, as a forgotten mask would.
  const SequenceFunction leaky = [](const Variable& x, const Segments& segments) {
    const Variable mean = segment_mean(x, Segments({segments.tokens()}));
    return add(x, reshape(mean, {x.dim(1)}));
  };
  CHECK(value_difference(6, leaky) == "sequence 0 of 2 in 205");
  CHECK(gradient_difference(6, nullptr, leaky) == "gradient 0 of sequence 1 of 2");
}
