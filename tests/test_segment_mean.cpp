#include "autograd/segment_mean.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

TestedFunction pool(const std::vector<Index>& lengths) {
  return [segments = Segments(lengths)](const std::vector<Variable>& in) {
    return segment_mean(in[0], segments);
  };
}

}  // namespace

TEST_CASE("segment_mean: each sequence has the mean of its own tokens only") {
  const Variable x(Tensor::from({4, 2}, {1, 0, 1, 0, 0, 2, 0, 2}), true);
  const Variable y = segment_mean(x, Segments({2, 2}));
  CHECK(mismatch(y.value(), {1, 0, 0, 2}) == "");
  // A loss on the first sequence gives the tokens of the second exactly nothing.
  backward(y, Tensor::from({2, 2}, {1, 1, 0, 0}));
  CHECK(mismatch(x.grad(), {0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0}, 0) == "");
}

TEST_CASE("segment_mean: a sequence alone and in a batch has the same bits") {
  const Variable x = random_input({205, 19}, 1);
  const Tensor batch = segment_mean(x, Segments({200, 5})).value();
  const Variable alone(x.value().rows(200, 5).clone());
  CHECK(same_bits(segment_mean(alone, Segments({5})).value(), batch.rows(1, 1)));
}

TEST_CASE("segment_mean: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Index d : std::vector<Index>{1, 5}) {
    CHECK(gradient_fault("segment_mean", pool({1}), {random_input({1, d}, 1)}) == "");
    CHECK(gradient_fault("segment_mean", pool({3, 1, 5}), {random_input({9, d}, 1)}) == "");
  }
}

TEST_CASE("segment_mean: no sequence can be empty, and rows have to be its tokens") {
  CHECK(error_text([] { Segments({3, 0}); }) == "segments: sequence 1 of 2 has length 0");
  CHECK(error_text([] {
          segment_mean(random_input({4, 2}, 1), Segments({3}));
        }) == "segment_mean: x [4, 2] does not have the 3 tokens of the segments");
}
