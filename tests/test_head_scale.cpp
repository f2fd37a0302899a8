#include "autograd/head_scale.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

TestedFunction gated(const std::vector<Index>& lengths) {
  return [segments = Segments(lengths)](const std::vector<Variable>& in) {
    return head_scale(in[0], in[1], segments);
  };
}

}  // namespace

TEST_CASE("head_scale: each sequence's gate multiplies its heads' columns") {
  const Variable x(Tensor::from({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), true);
  const Variable gate(Tensor::from({2, 2}, {1, 0, 2, -1}), true);
  const Variable y = head_scale(x, gate, Segments({2, 1}));
  CHECK(mismatch(y.value(), {1, 2, 0, 0, 5, 6, 0, 0, 18, 20, -11, -12}) == "");
  backward(y, Tensor::full({3, 4}, 1));
  CHECK(mismatch(gate.grad(), {14, 22, 19, 23}) == "");
  CHECK(mismatch(x.grad(), {1, 1, 0, 0, 1, 1, 0, 0, 2, 2, -1, -1}) == "");
}

TEST_CASE("head_scale: gates of one change no bit") {
  const Variable x = random_input({7, 12}, 1), gate(Tensor::full({2, 4}, 1));
  CHECK(same_bits(head_scale(x, gate, Segments({3, 4})).value(), x.value()));
}

TEST_CASE("head_scale: gradient matches central differences" * doctest::skip(!real_is_double)) {
  const Variable x = random_input({9, 6}, 1);
  for (const Index heads : std::vector<Index>{1, 2, 3, 6}) {
    CAPTURE(heads);
    const Variable gate = random_input({3, heads}, 2);
    CHECK(gradient_fault("head_scale", gated({3, 1, 5}), {x, gate}) == "");
    CHECK(gradient_fault("head_scale", gated({3, 1, 5}), {x.detach(), gate}) == "");
    CHECK(gradient_fault("head_scale", gated({3, 1, 5}), {x, gate.detach()}) == "");
  }
  CHECK(gradient_fault("head_scale", gated({1}),
                       {random_input({1, 1}, 1), random_input({1, 1}, 2)}) == "");
}

TEST_CASE("head_scale: shapes that do not fit are named") {
  const Segments segments({2, 1});
  CHECK(error_text([&] {
          head_scale(random_input({3, 5}, 1), random_input({2, 2}, 2), segments);
        }) == "head_scale: x [3, 5] does not divide into the heads of gate [2, 2]");
  CHECK(error_text([&] {
          head_scale(random_input({3, 4}, 1), random_input({2, 0}, 2), segments);
        }) == "head_scale: x [3, 4] does not divide into the heads of gate [2, 0]");
  CHECK(error_text([&] {
          head_scale(random_input({3, 4}, 1), random_input({3, 2}, 2), segments);
        }) == "head_scale: x [3, 4] and gate [3, 2] do not fit 2 sequences of together 3 tokens");
  CHECK(error_text([&] {
          head_scale(random_input({4, 4}, 1), random_input({2, 2}, 2), segments);
        }) == "head_scale: x [4, 4] and gate [2, 2] do not fit 2 sequences of together 3 tokens");
}
