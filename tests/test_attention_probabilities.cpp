#include "tensor/attention_probabilities.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tensor/attention.h"
#include "tests/values.h"

using namespace bf;

namespace {

Tensor random_qkv(Index tokens, Index columns) {
  Tensor qkv({tokens, columns});
  for (Index i = 0; i < qkv.size(); ++i) {
    qkv[i] = static_cast<Real>(2 * std::sin(static_cast<double>(i * i % 977)));
  }
  return qkv;
}

}  // namespace

TEST_CASE("attention_probabilities: the formula, on two tokens") {
  // One head of width 4: q is 2 and 0 in its first column, k is 1 and 3.
  Tensor qkv = Tensor::zeros({2, 12});
  qkv.row(0)[0] = 2;
  qkv.row(0)[4] = 1, qkv.row(1)[4] = 3;
  const Tensor p = attention_probabilities(qkv, Segments({2}), 1, 0, 0);
  // Scores of token 0 are 2 / 2 and 6 / 2; those of token 1 are 0 and 0.
  CHECK(p.row(0)[0] == doctest::Approx(1 / (1 + std::exp(2.0))));
  CHECK(p.row(0)[1] == doctest::Approx(1 / (1 + std::exp(-2.0))));
  CHECK(p.row(1)[0] == doctest::Approx(0.5));
}

TEST_CASE("attention_probabilities: rows sum to one and make what attention puts out") {
  const Index heads = 3, d = 5;
  const Segments segments({7, 1, 19});
  const Tensor qkv = random_qkv(segments.tokens(), heads * 3 * d);
  const Tensor out = attention_forward(qkv, segments, heads).out;  // [tokens, H d]
  for (Index b = 0; b < segments.count(); ++b) {
    for (Index h = 0; h < heads; ++h) {
      const Tensor p = attention_probabilities(qkv, segments, heads, b, h);
      REQUIRE(p.shape() == Shape{segments.length(b), segments.length(b)});
      for (Index i = 0; i < p.dim(0); ++i) {
        double sum = 0, value = 0;
        for (Index j = 0; j < p.dim(1); ++j) {
          sum += p.row(i)[j];
          value += p.row(i)[j] * qkv.row(segments.begin(b) + j)[(3 * h + 2) * d + 1];
        }
        CHECK(sum == doctest::Approx(1));
        CHECK(out.row(segments.begin(b) + i)[h * d + 1] == doctest::Approx(value).epsilon(1e-4));
      }
    }
  }
}

TEST_CASE("attention_probabilities: what does not fit is named") {
  const Tensor qkv = random_qkv(4, 12);
  CHECK_THROWS_WITH_AS(attention_probabilities(qkv, Segments({3}), 2, 0, 0),
                       "attention_probabilities: qkv [4, 12] does not fit 3 tokens and 2 heads",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(attention_probabilities(qkv, Segments({4}), 5, 0, 0),
                       "attention_probabilities: qkv [4, 12] does not fit 4 tokens and 5 heads",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(attention_probabilities(qkv, Segments({4}), 2, 1, 0),
                       "attention_probabilities: sequence 1 is outside the batch of 1",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(attention_probabilities(qkv, Segments({4}), 2, 0, 2),
                       "attention_probabilities: head 2 is outside the 2 heads",
                       std::invalid_argument);
}
