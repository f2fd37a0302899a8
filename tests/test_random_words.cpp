#include <doctest/doctest.h>

#include <cmath>

#include "tensor/random_words.h"
#include "tests/values.h"

using namespace bf;

namespace {

const RandomStream stream{0x123456789abcdef0, 0x0fedcba987654321};

/// What dropout_row is defined to write.
Real kept_or_zero(Real x, Index element, const DropoutRule& rule) {
  const std::uint32_t draw = stream.word(element / 2) >> (element % 2 == 0 ? 0 : 16) & 0xFFFF;
  return draw < rule.threshold ? x * rule.factor : Real(0);
}

}  // namespace

TEST_CASE("random_words: equal to philox for every number of blocks and start") {
  const Index far = (Index{1} << 32) - 3;  // crosses into the upper half of the counter
  for (const Index first : Sizes{0, 1, 7, 1000003, far}) {
    for (Index blocks = 0; blocks <= 35; ++blocks) {
      std::vector<std::uint32_t> words(4 * blocks + 4, 99);
      random_words(stream, first, blocks, words.data());
      Index wrong = 0;
      for (Index i = 0; i < 4 * blocks; ++i) wrong += words[i] != stream.word(4 * first + i);
      for (Index i = 4 * blocks; i < words.size(); ++i) wrong += words[i] != 99;
      CAPTURE(first);
      CAPTURE(blocks);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("random_words: dropout keeps exactly the elements whose draw is below the threshold") {
  const DropoutRule rule(0.25);
  CHECK(rule.threshold == 0xc000);
  for (const Index n : Sizes{0, 1, 2, 3, 4, 5, 17, 1023, 1024, 1025, 2070}) {
    for (const Index first : Sizes{0, 8, 4096, Index{1} << 34}) {
      const std::vector<Real> x = seeded_values(n, 1);
      std::vector<Real> out(n + 3, 9);
      dropout_row(n, x.data(), stream, first, rule, out.data());
      Index wrong = 0;
      for (Index i = 0; i < n; ++i) {
        wrong += out[i] != kept_or_zero(x[i], first + i, rule);
      }
      CAPTURE(n);
      CAPTURE(first);
      CHECK(wrong == 0);
      CHECK(std::vector<Real>(out.begin() + static_cast<long>(n), out.end()) ==
            std::vector<Real>(3, 9));
    }
  }
}

TEST_CASE("random_words: dropout drops at its rate, cut into rows or not, in place or not") {
  const Index n = 1000000;
  const double keep = 0.9;
  const DropoutRule rule(1 - keep);
  std::vector<Real> ones(n, 1), out(n), rows = ones;
  dropout_row(n, ones.data(), stream, 0, rule, out.data());
  for (Index i = 0; i < n; i += 1000) {
    dropout_row(1000, &rows[i], stream, i, rule, &rows[i]);
  }
  CHECK(rows == out);
  double kept = 0;
  for (const Real value : out) kept += value != 0;
  CHECK(std::abs(kept - keep * n) < 5 * std::sqrt(n * keep * (1 - keep)));
}

TEST_CASE("random_words: a dropped NaN or infinity becomes zero") {
  const std::vector<Real> x(64, NAN);
  std::vector<Real> out(64);
  dropout_row(64, x.data(), stream, 0, DropoutRule(0.5), out.data());
  Index wrong = 0;
  for (Index i = 0; i < 64; ++i)
    wrong += std::isnan(out[i]) != (kept_or_zero(1, i, DropoutRule(0.5)) != 0);
  CHECK(wrong == 0);
}

TEST_CASE("random_words: the rule of a probability keeps something, and everything at 0") {
  CHECK(DropoutRule(0).threshold == 65536);
  CHECK(DropoutRule(0).factor == 1);
  CHECK(DropoutRule(0.9999999).threshold == 1);
  CHECK(double{DropoutRule(0.1).factor} == doctest::Approx(1 / 0.9).epsilon(1e-5));
}
