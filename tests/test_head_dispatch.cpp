#include <doctest/doctest.h>

#include <cmath>

#include "autograd/head_scale.h"
#include "autograd/linear.h"
#include "autograd/self_attention.h"
#include "budgetformer/cost_model.h"
#include "budgetformer/head_dispatch.h"
#include "nn/multi_head_attention.h"
#include "tests/policy.h"

using namespace bf;

namespace {

/// dispatch_heads at inference.
Tensor dispatch(const Tensor& x, const Segments& segments, const HeadSelection& selection,
                const Tensor& gates, const Linear& qkv, const Linear& out) {
  const NoGrad no_grad;
  return dispatch_heads(Variable(x), segments, selection, Variable(gates), qkv, out).value();
}

/// The two layers of an attention with seeded weights and biases.
struct Projections {
  Projections(Index dim, Index heads, Index width)
      : random(1), qkv(dim, 3 * heads * width, random), out(heads * width, dim, random) {
    disturb(qkv, 5, 0.3);
    disturb(out, 6, 0.3);
  }
  RandomSource random;
  Linear qkv, out;
};

double value(const Tensor& t, Index row, Index col) { return double{t.row(row)[col]}; }

/// What the layers make of the tokens of one sequence, in double: all heads, then each one's result
/// times its gate. Column j of q of head h comes from row 3 h d + j of the weights.
std::vector<double> plain_sequence(const Tensor& x, const Projections& layer,
                                   const std::vector<double>& gates, Index d) {
  const Index n = x.dim(0), dim = x.dim(1), heads = gates.size();
  const Tensor &wq = layer.qkv.weight().value(), &bq = layer.qkv.bias().value();
  const Tensor &wo = layer.out.weight().value(), &bo = layer.out.bias().value();
  std::vector<double> y(n * dim);
  for (Index i = 0; i < y.size(); ++i) y[i] = double{bo[i % dim]};
  for (Index h = 0; h < heads; ++h) {
    std::vector<double> qkv(n * 3 * d), attended(n * d, 0);
    for (Index t = 0; t < n; ++t) {
      for (Index j = 0; j < 3 * d; ++j) {
        double sum = double{bq[3 * h * d + j]};
        for (Index i = 0; i < dim; ++i) sum += value(x, t, i) * value(wq, 3 * h * d + j, i);
        qkv[t * 3 * d + j] = sum;
      }
    }
    for (Index t = 0; t < n; ++t) {
      std::vector<double> weight(n);
      double total = 0;
      for (Index u = 0; u < n; ++u) {
        double score = 0;
        for (Index j = 0; j < d; ++j) score += qkv[t * 3 * d + j] * qkv[u * 3 * d + d + j];
        weight[u] = std::exp(score / std::sqrt(static_cast<double>(d)));
        total += weight[u];
      }
      for (Index u = 0; u < n; ++u) {
        for (Index j = 0; j < d; ++j) {
          attended[t * d + j] += weight[u] / total * qkv[u * 3 * d + 2 * d + j];
        }
      }
      for (Index i = 0; i < dim; ++i) {
        for (Index j = 0; j < d; ++j) {
          y[t * dim + i] += gates[h] * attended[t * d + j] * value(wo, i, h * d + j);
        }
      }
    }
  }
  return y;
}

std::vector<double> plain(const Tensor& x, const Segments& segments, const HeadSelection& selection,
                          const Tensor& weights, const Projections& layer, Index d) {
  std::vector<double> y;
  for (Index b = 0; b < segments.count(); ++b) {
    std::vector<double> gates;
    for (Index h = 0; h < selection.heads; ++h) {
      gates.push_back(value(selection.mask, b, h) *
                      (weights.defined() ? value(weights, b, h) : 1.0));
    }
    const Tensor tokens = x.rows(segments.begin(b), segments.length(b));
    const std::vector<double> part = plain_sequence(tokens, layer, gates, d);
    y.insert(y.end(), part.begin(), part.end());
  }
  return y;
}

/// `count` head sets with 1 to H heads, every size among the first H.
std::vector<unsigned> seeded_masks(Index count, Index heads, std::uint64_t seed) {
  const RandomStream stream{seed, 79};
  std::vector<unsigned> masks;
  for (Index b = 0; b < count; ++b) {
    unsigned mask = 0;
    Index chosen = 0;
    for (Index i = 0; chosen < 1 + b % heads; ++i) {
      const unsigned bit = 1u << stream.word(1000 * b + i) % heads;
      chosen += (mask & bit) == 0;
      mask |= bit;
    }
    masks.push_back(mask);
  }
  return masks;
}

Tensor positive(Tensor tensor) {
  for (Index i = 0; i < tensor.size(); ++i) tensor[i] = std::abs(tensor[i]) + Real(0.1);
  return tensor;
}

constexpr double tolerance = real_is_double ? 1e-12 : 2e-5;

/// x, gates and the parameters as leaves, and their gradients for one cotangent.
struct Leaves {
  Leaves(const Tensor& x_value, const Tensor& gate_values, Projections& layer)
      : x(x_value, true), gates(gate_values, true) {
    all = {x, gates, layer.qkv.weight(), layer.qkv.bias(), layer.out.weight(), layer.out.bias()};
    for (Variable& leaf : all) leaf.zero_grad();
  }
  std::vector<Tensor> gradients(const Variable& y, const Tensor& cotangent) {
    backward(y, cotangent);
    std::vector<Tensor> result;
    for (Variable& leaf : all) result.push_back(leaf.grad().clone());
    return result;
  }
  Variable x, gates;
  std::vector<Variable> all;
};

/// All heads times gates, as training computes them before it is sparse.
Variable all_heads(const Leaves& leaves, const Segments& segments, const Projections& layer) {
  const Variable qkv = layer.qkv.forward(leaves.x);
  const Variable heads = self_attention(qkv, segments, leaves.gates.dim(1));
  return layer.out.forward(head_scale(heads, leaves.gates, segments));
}

/// gates where the heads run, else 0.
Tensor masked(const Tensor& gates, const HeadSelection& selection) {
  Tensor result = gates.clone();
  for (Index i = 0; i < result.size(); ++i) result[i] *= selection.mask[i];
  return result;
}

}  // namespace

TEST_CASE("head_dispatch: any mix of head sets equals all heads times their gates") {
  constexpr Index heads = 4, d = 6, dim = 10;  // a width of the heads that is not D / H
  const Projections layer(dim, heads, d);
  const Segments segments({1, 5, 130, 17, 1, 200, 64, 3, 129});
  const Tensor x = seeded_tensor({segments.tokens(), dim}, 2);
  const Tensor weights = positive(seeded_tensor({segments.count(), heads}, 3));
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const HeadSelection mix = selection_of(seeded_masks(segments.count(), heads, seed), heads);
    CHECK(distance(dispatch(x, segments, mix, {}, layer.qkv, layer.out),
                   plain(x, segments, mix, {}, layer, d)) < tolerance);
    CHECK(distance(dispatch(x, segments, mix, weights, layer.qkv, layer.out),
                   plain(x, segments, mix, weights, layer, d)) < tolerance);
  }
}

TEST_CASE("head_dispatch: a head that nobody chose, and one that everybody chose") {
  const Projections layer(8, 3, 4);
  const Segments segments({7, 2, 40});
  const Tensor x = seeded_tensor({49, 8}, 2);
  for (const unsigned mask : {0b001u, 0b010u, 0b100u, 0b101u, 0b111u}) {
    const HeadSelection selection = selection_of({mask, mask, mask}, 3);
    CHECK(distance(dispatch(x, segments, selection, {}, layer.qkv, layer.out),
                   plain(x, segments, selection, {}, layer, 4)) < tolerance);
  }
}

TEST_CASE("head_dispatch: the bits do not depend on the number of threads") {
  constexpr Index heads = 8, d = 8, dim = 64, count = 60;
  const Projections layer(dim, heads, d);
  std::vector<Index> lengths;
  for (Index b = 0; b < count; ++b) lengths.push_back(1 + b * 37 % 150);
  const Segments segments(lengths);
  const Tensor x = seeded_tensor({segments.tokens(), dim}, 2);
  const HeadSelection mix = selection_of(seeded_masks(count, heads, 4), heads);
  const Tensor weights = positive(seeded_tensor({count, heads}, 3));
  Tensor first;
  for (const Index threads : Sizes{1, 2, 8}) {
    const ThreadsGuard guard(threads);
    const Tensor y = dispatch(x, segments, mix, weights, layer.qkv, layer.out);
    if (!first.defined()) first = y;
    CHECK(same_bits(y, first));
  }
}

TEST_CASE("head_dispatch: only the selected heads are executed, for every mix") {
  constexpr Index heads = 6, d = 4, dim = 24;
  const Projections layer(dim, heads, d);
  const Segments segments({1, 5, 130, 17, 2, 200, 64});
  const Tensor x = seeded_tensor({segments.tokens(), dim}, 2);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const HeadSelection mix = selection_of(seeded_masks(segments.count(), heads, seed), heads);
    const Flops executed = counted([&] { dispatch(x, segments, mix, {}, layer.qkv, layer.out); });
    const Flops expected = attention_flops(segments, mix.counts, dim, d);
    CHECK(executed.linear == expected.linear);
    CHECK(executed.attention == expected.attention);
  }
}

TEST_CASE("head_dispatch: one head of eight costs an eighth, at N = 64, D = 768") {
  const Projections layer(768, 8, 96);
  const Tensor x = seeded_tensor({64, 768}, 2);
  const auto executed = [&](unsigned mask) {
    return counted(
        [&] { dispatch(x, Segments({64}), selection_of({mask}, 8), {}, layer.qkv, layer.out); });
  };
  CHECK(executed(0b00100000).total() == 39321600);
  const Flops all = executed(0b11111111);
  CHECK(all.total() == 314572800);
  CHECK(all.attention == 12582912);
  CHECK(all.linear == 226492416 + 75497472);
}

TEST_CASE("head_dispatch: what does not fit is named") {
  const Projections layer(8, 2, 4);
  const Tensor x = seeded_tensor({5, 8}, 1);
  CHECK(error_text<std::invalid_argument>([&] {
          dispatch(x, Segments({2, 2}), selection_of({1, 1}, 2), {}, layer.qkv, layer.out);
        }) ==
        "dispatch_heads: 2 selections and 5 rows do not fit 2 sequences of together 4 tokens");
  CHECK(error_text<std::invalid_argument>([&] {
          dispatch(x, Segments({3, 2}), selection_of({1, 1}, 2), Tensor::zeros({2, 3}), layer.qkv,
                   layer.out);
        }) == "dispatch_heads: gates [2, 3] do not fit the selection [2, 2]");
}

TEST_CASE("head_dispatch: gradients are those of all heads times hard gates, masked") {
  constexpr Index heads = 4, d = 6, dim = 10;
  Projections layer(dim, heads, d);
  const Segments segments({1, 5, 130, 17, 1, 200, 64, 3, 129});
  const Tensor x = seeded_tensor({segments.tokens(), dim}, 2);
  const Tensor cotangent = seeded_tensor({segments.tokens(), dim}, 9);
  const Tensor positives = positive(seeded_tensor({segments.count(), heads}, 3));
  for (const bool weighted : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const HeadSelection mix = selection_of(seeded_masks(segments.count(), heads, seed), heads);
      const Tensor gates = weighted ? masked(positives, mix) : mix.mask;
      Leaves sparse(x, gates, layer);
      const std::vector<Tensor> got = sparse.gradients(
          dispatch_heads(sparse.x, segments, mix, sparse.gates, layer.qkv, layer.out), cotangent);
      Leaves dense(x, gates, layer);
      std::vector<Tensor> want = dense.gradients(all_heads(dense, segments, layer), cotangent);
      want[1] = masked(want[1], mix);
      for (Index i = 0; i < want.size(); ++i) {
        CAPTURE(i);
        CHECK(distance(got[i], want[i]) < 10 * tolerance);
      }
    }
  }
}

TEST_CASE("head_dispatch: the gradient passes the check" * doctest::skip(!real_is_double)) {
  Projections layer(6, 3, 2);
  const Segments segments({3, 1, 5, 2});
  // One head that nobody chose, one sequence with all of the others.
  const HeadSelection selection = selection_of({0b001, 0b100, 0b101, 0b001}, 3);
  const Tensor gates = masked(positive(seeded_tensor({4, 3}, 3)), selection);
  Leaves leaves(random_input({11, 6}, 1).value(), gates, layer);
  const auto f = [&](const std::vector<Variable>&) {
    return dispatch_heads(leaves.x, segments, selection, leaves.gates, layer.qkv, layer.out);
  };
  CHECK(gradient_fault("dispatch_heads", f, leaves.all) == "");
}

TEST_CASE("head_dispatch: gradients are added to what is there") {
  Projections layer(8, 3, 4);
  const Segments segments({7, 2, 40});
  const HeadSelection selection = selection_of({0b001, 0b100, 0b001}, 3);  // nobody runs head 1
  Leaves leaves(seeded_tensor({49, 8}, 2), selection.mask, layer);
  const Tensor cotangent = seeded_tensor({49, 8}, 9);
  const auto run = [&] {
    return leaves.gradients(
        dispatch_heads(leaves.x, segments, selection, leaves.gates, layer.qkv, layer.out),
        cotangent);
  };
  const std::vector<Tensor> once = run(), twice = run();
  for (Index i = 0; i < once.size(); ++i) {
    std::vector<double> doubled;
    for (const Real value : once[i].to_vector()) doubled.push_back(2 * double{value});
    CHECK(distance(twice[i], doubled) < tolerance);
  }
  CHECK(once[1].row(0)[1] == 0);
  CHECK(once[2].row(15)[0] == 0);  // of head 1
}

TEST_CASE("head_dispatch: gradients have the same bits on any number of threads") {
  constexpr Index heads = 8, d = 8, dim = 72, count = 60;
  Projections layer(dim, heads, d);
  std::vector<Index> lengths;
  for (Index b = 0; b < count; ++b) lengths.push_back(1 + b * 37 % 150);
  const Segments segments(lengths);
  const Tensor x = seeded_tensor({segments.tokens(), dim}, 2);
  const Tensor cotangent = seeded_tensor({segments.tokens(), dim}, 9);
  const HeadSelection mix = selection_of(seeded_masks(count, heads, 4), heads);
  const Tensor gates = masked(positive(seeded_tensor({count, heads}, 3)), mix);
  std::vector<Tensor> first;
  for (const Index threads : Sizes{1, 2, 3, 8}) {
    const ThreadsGuard guard(threads);
    Leaves leaves(x, gates, layer);
    const std::vector<Tensor> got = leaves.gradients(
        dispatch_heads(leaves.x, segments, mix, leaves.gates, layer.qkv, layer.out), cotangent);
    if (first.empty()) first = got;
    for (Index i = 0; i < got.size(); ++i) CHECK(same_bits(got[i], first[i]));
  }
}

TEST_CASE("head_dispatch: a frozen part gets no gradient, the others the same as ever") {
  Projections layer(8, 3, 4);
  const Segments segments({7, 2});
  const HeadSelection selection = selection_of({0b011, 0b100}, 3);
  const Tensor x = seeded_tensor({9, 8}, 2), cotangent = seeded_tensor({9, 8}, 9);
  Leaves all(x, selection.mask, layer);
  const std::vector<Tensor> want = all.gradients(
      dispatch_heads(all.x, segments, selection, all.gates, layer.qkv, layer.out), cotangent);
  layer.qkv.weight().set_needs_grad(false);
  layer.qkv.bias().zero_grad(), layer.out.weight().zero_grad(), layer.out.bias().zero_grad();
  backward(dispatch_heads(Variable(x), segments, selection, {}, layer.qkv, layer.out), cotangent);
  CHECK_FALSE(layer.qkv.weight().grad().defined());
  CHECK(same_bits(layer.qkv.bias().grad(), want[3]));
  CHECK(same_bits(layer.out.weight().grad(), want[4]));
  CHECK(same_bits(layer.out.bias().grad(), want[5]));
}

TEST_CASE("head_dispatch: a sequence has the same bits alone and in any batch") {
  constexpr Index heads = 8, d = 40, dim = 300;  // more than one block of inner extent
  const Projections layer(dim, heads, d);
  const Segments segments({5, 1, 130, 17, 98, 2, 33});
  const Tensor x = seeded_tensor({segments.tokens(), dim}, 2);
  const std::vector<unsigned> masks{0b1, 0xff, 0x91, 0xff, 0x3, 0x80, 0x7f};
  const Tensor y = dispatch(x, segments, selection_of(masks, heads), {}, layer.qkv, layer.out);
  RandomSource random(1);
  MultiHeadAttention plain_layer(dim, heads, random, d);
  auto parameters = by_name(plain_layer);
  parameters["qkv.weight"]->mutable_value() = layer.qkv.weight().value();
  parameters["qkv.bias"]->mutable_value() = layer.qkv.bias().value();
  parameters["out.weight"]->mutable_value() = layer.out.weight().value();
  parameters["out.bias"]->mutable_value() = layer.out.bias().value();
  for (Index b = 0; b < segments.count(); ++b) {
    const Segments one({segments.length(b)});
    const Tensor tokens = x.rows(segments.begin(b), one.tokens());
    const Tensor expected = y.rows(segments.begin(b), one.tokens());
    CHECK(
        same_bits(dispatch(tokens, one, selection_of({masks[b]}, heads), {}, layer.qkv, layer.out),
                  expected));
    if (masks[b] != 0xff) continue;  // all heads are multi-head attention
    CHECK(same_bits(plain_layer.forward(Variable(tokens), one).value(), expected));
  }
}
