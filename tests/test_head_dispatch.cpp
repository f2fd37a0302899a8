#include <doctest/doctest.h>

#include <cmath>

#include "budgetformer/cost_model.h"
#include "budgetformer/head_dispatch.h"
#include "tests/policy.h"

using namespace bf;

namespace {

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

}  // namespace

TEST_CASE("head_dispatch: any mix of head sets equals all heads times their gates") {
  constexpr Index heads = 4, d = 6, dim = 10;  // a width of the heads that is not D / H
  const Projections layer(dim, heads, d);
  const Segments segments({1, 5, 130, 17, 1, 200, 64, 3, 129});
  const Tensor x = seeded_tensor({segments.tokens(), dim}, 2);
  const Tensor weights = positive(seeded_tensor({segments.count(), heads}, 3));
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const HeadSelection mix = selection_of(seeded_masks(segments.count(), heads, seed), heads);
    CHECK(distance(dispatch_heads(x, segments, mix, {}, layer.qkv, layer.out),
                   plain(x, segments, mix, {}, layer, d)) < tolerance);
    CHECK(distance(dispatch_heads(x, segments, mix, weights, layer.qkv, layer.out),
                   plain(x, segments, mix, weights, layer, d)) < tolerance);
  }
}

TEST_CASE("head_dispatch: a head that nobody chose, and one that everybody chose") {
  const Projections layer(8, 3, 4);
  const Segments segments({7, 2, 40});
  const Tensor x = seeded_tensor({49, 8}, 2);
  for (const unsigned mask : {0b001u, 0b010u, 0b100u, 0b101u, 0b111u}) {
    const HeadSelection selection = selection_of({mask, mask, mask}, 3);
    CHECK(distance(dispatch_heads(x, segments, selection, {}, layer.qkv, layer.out),
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
    const Tensor y = dispatch_heads(x, segments, mix, weights, layer.qkv, layer.out);
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
    const Flops executed =
        counted([&] { dispatch_heads(x, segments, mix, {}, layer.qkv, layer.out); });
    const Flops expected = attention_flops(segments, mix.counts, dim, d);
    CHECK(executed.linear == expected.linear);
    CHECK(executed.attention == expected.attention);
  }
}

TEST_CASE("head_dispatch: one head of eight costs an eighth, at N = 64, D = 768") {
  const Projections layer(768, 8, 96);
  const Tensor x = seeded_tensor({64, 768}, 2);
  const auto executed = [&](unsigned mask) {
    return counted([&] {
      dispatch_heads(x, Segments({64}), selection_of({mask}, 8), {}, layer.qkv, layer.out);
    });
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
          dispatch_heads(x, Segments({2, 2}), selection_of({1, 1}, 2), {}, layer.qkv, layer.out);
        }) ==
        "dispatch_heads: 2 selections and 5 rows do not fit 2 sequences of together 4 tokens");
  CHECK(error_text<std::invalid_argument>([&] {
          dispatch_heads(x, Segments({3, 2}), selection_of({1, 1}, 2), Tensor::zeros({2, 3}),
                         layer.qkv, layer.out);
        }) == "dispatch_heads: weights [2, 3] do not fit the selection [2, 2]");
}
