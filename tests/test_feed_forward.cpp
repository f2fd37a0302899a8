#include "autograd/feed_forward.h"

#include <doctest/doctest.h>

#include "autograd/gelu.h"
#include "autograd/linear.h"
#include "tests/support.h"

using namespace bf;

namespace {

Variable fused(const std::vector<Variable>& in) {
  return feed_forward(in[0], in[1], in[2], in[3], in[4]);
}

Variable composed(const std::vector<Variable>& in) {
  return linear(gelu(linear(in[0], in[1], in[2])), in[3], in[4]);
}

std::vector<Variable> inputs(Index rows, Index dim, Index hidden, Index out) {
  return {random_input({rows, dim}, 1), random_input({hidden, dim}, 2), random_input({hidden}, 3),
          random_input({out, hidden}, 4), random_input({out}, 5)};
}

}  // namespace

TEST_CASE("feed_forward: value and gradients equal the plain composition") {
  for (const Index rows : Sizes{1, 7, 130}) {
    for (const Index hidden : Sizes{1, 33, 300, 1100}) {  // the last is two tiles of the product
      CAPTURE(rows);
      CAPTURE(hidden);
      const std::vector<Variable> a = inputs(rows, 20, hidden, 17),
                                  b = inputs(rows, 20, hidden, 17);
      const Variable y = fused(a), expected = composed(b);
      CHECK(mismatch(y.value(), doubles(expected.value())) == "");
      const Tensor g = normal_tensor({rows, 17}, 0, 1, {2, 2});
      backward(y, g);
      backward(expected, g);
      for (Index i = 0; i < a.size(); ++i) {
        CAPTURE(i);
        CHECK(mismatch(a[i].grad(), doubles(b[i].grad())) == "");
      }
    }
  }
}

TEST_CASE("feed_forward: gradient matches central differences" * doctest::skip(!real_is_double)) {
  CHECK(gradient_fault("feed_forward", fused, inputs(4, 3, 7, 5)) == "");
  std::vector<Variable> frozen = inputs(3, 2, 5, 2);
  for (const Index i : Sizes{0, 1, 2, 3, 4}) {
    CAPTURE(i);
    std::vector<Variable> some = frozen;
    some[i] = some[i].detach();
    CHECK(gradient_fault("feed_forward", fused, some) == "");
  }
}

TEST_CASE("feed_forward: the same bits inside and outside the tape") {
  const std::vector<Variable> in = inputs(211, 70, 130, 70);
  const Tensor recorded = fused(in).value();
  const NoGrad no_grad;
  CHECK(same_bits(fused(in).value(), recorded));
}

TEST_CASE("feed_forward: shapes that do not fit are named") {
  const std::vector<Variable> in = inputs(4, 3, 7, 5);
  CHECK(error_text([&] {
          feed_forward(random_input({4, 2}, 1), in[1], in[2], in[3], in[4]);
        }) == "feed_forward: x [4, 2] does not fit w1 [7, 3] [F, D]");
  CHECK(error_text([&] {
          feed_forward(in[0], in[1], in[2], random_input({5, 6}, 1), in[4]);
        }) == "feed_forward: w1 [7, 3] does not fit w2 [5, 6] [D, F]");
  CHECK(error_text([&] { feed_forward(in[0], in[1], in[4], in[3], in[4]); }) ==
        "feed_forward: biases [5] and [5] do not match w1 [7, 3] and w2 [5, 7]");
}
