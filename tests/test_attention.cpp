#include <doctest/doctest.h>

#include <cmath>

#include "tensor/allocator.h"
#include "tensor/attention.h"
#include "tests/values.h"

using namespace bf;

namespace {

/// Everything in double, by the formulas of the header, one score row at a time.
struct Naive {
  std::vector<double> out, log_sum_exp, d_qkv;
};

/// Column of part 0 (q), 1 (k) or 2 (v) of a head.
Index column(Index head, Index part, Index d) { return (3 * head + part) * d; }

void naive_head(const Tensor& qkv, const Tensor& g, const Segments& segments, Index b, Index h,
                Index heads, Naive& result) {
  const Index d = qkv.dim(1) / (3 * heads), width = heads * d, n = segments.length(b);
  const Index begin = segments.begin(b);
  const auto at = [&](Index i, Index part, Index c) {
    return (begin + i) * 3 * width + column(h, part, d) + c;
  };
  const auto value = [&](Index i, Index part, Index c) { return double{qkv[at(i, part, c)]}; };
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  for (Index i = 0; i < n; ++i) {
    std::vector<double> p(n), dp(n);
    double most = -INFINITY, sum = 0, delta = 0;
    for (Index j = 0; j < n; ++j) {
      for (Index c = 0; c < d; ++c) p[j] += value(i, 0, c) * value(j, 1, c) * scale;
      most = std::max(most, p[j]);
    }
    for (double& s : p) sum += s = std::exp(s - most);
    result.log_sum_exp[(begin + i) * heads + h] = most + std::log(sum);
    for (Index j = 0; j < n; ++j) {
      p[j] /= sum;
      for (Index c = 0; c < d; ++c) {
        const double up = g[(begin + i) * width + h * d + c];
        result.out[(begin + i) * width + h * d + c] += p[j] * value(j, 2, c);
        result.d_qkv[at(j, 2, c)] += p[j] * up;
        dp[j] += up * value(j, 2, c);
      }
      delta += p[j] * dp[j];
    }
    for (Index j = 0; j < n; ++j) {
      const double ds = p[j] * (dp[j] - delta) * scale;
      for (Index c = 0; c < d; ++c) {
        result.d_qkv[at(i, 0, c)] += ds * value(j, 1, c);
        result.d_qkv[at(j, 1, c)] += ds * value(i, 0, c);
      }
    }
  }
}

Naive naive_attention(const Tensor& qkv, const Tensor& g, const Segments& segments, Index heads) {
  Naive result{std::vector<double>(g.size()), std::vector<double>(qkv.dim(0) * heads),
               std::vector<double>(qkv.size())};
  for (Index b = 0; b < segments.count(); ++b) {
    for (Index h = 0; h < heads; ++h) naive_head(qkv, g, segments, b, h, heads, result);
  }
  return result;
}

double largest_difference(const Tensor& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  double worst = 0;
  for (Index i = 0; i < got.size(); ++i) {
    const double difference = std::abs(double{got[i]} - expected[i]);
    if (!(difference <= worst)) worst = std::isnan(difference) ? INFINITY : difference;
  }
  return worst;
}

const std::vector<Index> mixed_lengths{1, 63, 2, 64, 300, 65, 7, 130, 16, 33};

Tensor saved_rows(const Tensor& rows, const Segments& segments, Index b) {
  return rows.rows(segments.begin(b), segments.length(b)).clone();
}

}  // namespace

TEST_CASE("attention: values and gradient equal the naive loop for every length, head and width") {
  const Segments segments(mixed_lengths);
  for (const Index heads : Sizes{1, 3}) {
    for (const Index d : Sizes{1, 5, 16, 40}) {
      CAPTURE(heads);
      CAPTURE(d);
      const Tensor qkv = seeded_tensor({segments.tokens(), 3 * heads * d}, 1);
      const Tensor g = seeded_tensor({segments.tokens(), heads * d}, 2);
      const Naive expected = naive_attention(qkv, g, segments, heads);
      const Attention result = attention_forward(qkv, segments, heads);
      // Scores are sums of d terms of size 1, whose error exp multiplies by at most 1; gradients of
      // a key sum over up to 300 queries.
      const double bound = epsilon * 8 * (4 + static_cast<double>(d));
      CHECK(largest_difference(result.out, expected.out) < bound);
      CHECK(largest_difference(result.log_sum_exp, expected.log_sum_exp) < bound);
      const Tensor d_qkv = attention_backward(qkv, result, g, segments, heads);
      CHECK(largest_difference(d_qkv, expected.d_qkv) < 16 * bound);
    }
  }
}

TEST_CASE("attention: a sequence gives the same bits alone and in a batch") {
  const Segments segments(mixed_lengths);
  const Index heads = 4, d = 16;
  const Tensor qkv = seeded_tensor({segments.tokens(), 3 * heads * d}, 3);
  const Tensor g = seeded_tensor({segments.tokens(), heads * d}, 4);
  const Attention all = attention_forward(qkv, segments, heads);
  const Tensor d_all = attention_backward(qkv, all, g, segments, heads);
  for (Index b = 0; b < segments.count(); ++b) {
    const Segments one({segments.length(b)});
    const Tensor part = saved_rows(qkv, segments, b);
    const Attention alone = attention_forward(part, one, heads);
    CHECK(same_bits(alone.out, saved_rows(all.out, segments, b)));
    CHECK(same_bits(alone.log_sum_exp, saved_rows(all.log_sum_exp, segments, b)));
    CHECK(same_bits(attention_backward(part, alone, saved_rows(g, segments, b), one, heads),
                    saved_rows(d_all, segments, b)));
  }
}

TEST_CASE("attention: the same bits on 1, 2 and 8 threads") {
  const Segments segments(mixed_lengths);
  const Index heads = 8, d = 8;
  const Tensor qkv = seeded_tensor({segments.tokens(), 3 * heads * d}, 5);
  const Tensor g = seeded_tensor({segments.tokens(), heads * d}, 6);
  Attention expected;
  Tensor d_expected;
  for (const Index thread_count : Sizes{1, 2, 8}) {
    const ThreadsGuard guard(thread_count);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const Attention result = attention_forward(qkv, segments, heads);
      const Tensor d_qkv = attention_backward(qkv, result, g, segments, heads);
      if (!expected.out.defined()) expected = result, d_expected = d_qkv;
      CHECK(same_bits(result.out, expected.out));
      CHECK(same_bits(result.log_sum_exp, expected.log_sum_exp));
      CHECK(same_bits(d_qkv, d_expected));
    }
  }
}

TEST_CASE("attention: one head with strides of its own equals the packed layout") {
  const Index heads = 3, d = 5, n = 70, width = heads * d;
  const Tensor qkv = seeded_tensor({n, 3 * width}, 7);
  const Attention all = attention_forward(qkv, Segments({n}), heads);
  for (Index h = 0; h < heads; ++h) {
    Tensor out = Tensor::full({n, width}, 9);
    const Real* q = qkv.data() + column(h, 0, d);
    attend_head({q, q + d, q + 2 * d, 3 * width, n, d}, out.data() + h * d, width, nullptr, 0);
    Index wrong = 0;
    for (Index i = 0; i < out.size(); ++i) {
      const bool ours = i % width / d == h;
      wrong += out[i] != (ours ? all.out[i] : Real(9));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("attention: scores of plus and minus 10,000 stay finite") {
  const Index n = 200, d = 4;
  Tensor qkv = seeded_tensor({n, 3 * d}, 8);
  const Tensor g = seeded_tensor({n, d}, 9);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < d; ++c) {
      qkv[i * 3 * d + c] = 100;
      qkv[i * 3 * d + d + c] = i % 2 ? 50 : -50;
    }
  }
  const Segments segments({n});
  const Attention result = attention_forward(qkv, segments, 1);
  const Tensor d_qkv = attention_backward(qkv, result, g, segments, 1);
  const Naive expected = naive_attention(qkv, g, segments, 1);
  CHECK(result.log_sum_exp[0] == doctest::Approx(10000 + std::log(100.0)));
  CHECK(largest_difference(result.out, expected.out) < 100 * epsilon);
  // The log-sum-exp has an error of epsilon 10,000, which the probabilities inherit.
  CHECK(largest_difference(d_qkv, expected.d_qkv) < 5e7 * epsilon);
}

TEST_CASE("attention: a NaN in one key reaches every row of its sequence and head alone") {
  const Segments segments({70, 70});
  Tensor qkv = seeded_tensor({140, 3 * 2 * 8}, 10);
  qkv[(70 + 5) * 48 + column(1, 1, 8) + 3] = NAN;
  const Attention result = attention_forward(qkv, segments, 2);
  Index wrong = 0;
  for (Index i = 0; i < result.out.size(); ++i) {
    const bool expected = i / 16 >= 70 && i % 16 >= 8;
    wrong += std::isnan(result.out[i]) != expected;
  }
  CHECK(wrong == 0);
}

TEST_CASE("attention: memory grows with the length, not with its square") {
  const auto peak_of = [](Index n) {
    const Tensor qkv = seeded_tensor({n, 3 * 2 * 16}, 11), g = seeded_tensor({n, 2 * 16}, 12);
    reset_peak_memory();
    const Index before = memory_stats().live_bytes;
    const Attention result = attention_forward(qkv, Segments({n}), 2);
    attention_backward(qkv, result, g, Segments({n}), 2);
    return memory_stats().peak_bytes - before;
  };
  const Index small = peak_of(1024), large = peak_of(4096);
  CHECK(large <= 5 * small);
  CHECK(large < Index{4096} * 4096 * sizeof(Real) / 8);
}

TEST_CASE("attention: errors name the shapes") {
  const auto text = [](auto body) { return error_text<std::invalid_argument>(body); };
  const Tensor qkv = seeded_tensor({6, 24}, 13);
  const Segments six({4, 2});
  CHECK(text([&] { attention_forward(qkv, six, 5); }) ==
        "attention: expected qkv [tokens, 3 * heads * d], got [6, 24] for 5 heads");
  CHECK(text([&] { attention_forward(qkv, six, 0); }) ==
        "attention: expected qkv [tokens, 3 * heads * d], got [6, 24] for 0 heads");
  CHECK(text([&] {
          attention_forward(qkv, Segments({4, 3}), 2);
        }) == "attention: 6 rows do not match 7 tokens");
  const Attention saved = attention_forward(qkv, six, 2);
  CHECK(text([&] {
          attention_backward(qkv, saved, seeded_tensor({6, 7}, 1), six, 2);
        }) == "attention: expected a gradient [6, 8], got [6, 7]");
}
