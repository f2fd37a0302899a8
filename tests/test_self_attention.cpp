#include "autograd/self_attention.h"

#include <doctest/doctest.h>

#include "autograd/slice.h"
#include "autograd/sum.h"
#include "tests/support.h"

using namespace bf;

namespace {

TestedFunction attend(const std::vector<Index>& lengths, Index heads) {
  return [segments = Segments(lengths), heads](const std::vector<Variable>& in) {
    return self_attention(in[0], segments, heads);
  };
}

}  // namespace

TEST_CASE("self_attention: value and gradient equal PyTorch's, sequence by sequence") {
  const Golden golden("self_attention");
  const std::vector<double>& lengths = golden["lengths"];
  const Segments segments(std::vector<Index>(lengths.begin(), lengths.end()));
  const Variable qkv = golden.leaf("qkv");
  const Variable y = self_attention(qkv, segments, 2);
  CHECK(mismatch(y.value(), golden.tensor("y")) == "");
  backward(y, golden.tensor("g"));
  CHECK(mismatch(qkv.grad(), golden.tensor("d_qkv"), roundings(64)) == "");
}

TEST_CASE("self_attention: a query weighs its keys by softmax") {
  // Keys 0 and 1, query 1: the weights are [0.268941, 0.731059], and the values show them.
  const Variable qkv(Tensor::from({2, 3}, {1, 0, 1, 1, 1, 0}));
  const Tensor y = self_attention(qkv, Segments({2}), 1).value();
  CHECK(mismatch(y, {0.2689414213699951, 0.2689414213699951}) == "");
}

TEST_CASE("self_attention: a sequence of length 0 cannot be written; beside others each is alone") {
  CHECK(error_text([] { Segments({3, 0}); }) == "segments: sequence 1 of 2 has length 0");
  const Variable batch = random_input({4, 12}, 1);
  const Variable alone(batch.value().rows(0, 3).clone(), true);
  // A loss on the first sequence alone, as if the other were padding.
  backward(sum(slice_rows(self_attention(batch, Segments({3, 1}), 2), 0, 3)));
  backward(sum(self_attention(alone, Segments({3}), 2)));
  CHECK(same_bits(batch.grad().rows(0, 3).clone(), alone.grad()));
  CHECK(mismatch(batch.grad().rows(3, 1), std::vector<double>(12, 0.0), 0) == "");
}

TEST_CASE("self_attention: scores of a thousand stay finite") {
  Variable qkv = random_input({5, 6}, 1);
  for (Index i = 0; i < 30; ++i) qkv.mutable_value()[i] *= 30;
  const Variable y = self_attention(qkv, Segments({5}), 1);
  backward(y, normal_tensor(y.shape(), 0, 1, {1, 2}));
  for (const double value : doubles(y.value())) CHECK(std::isfinite(value));
  for (const double slope : doubles(qkv.grad())) CHECK(std::isfinite(slope));
}

TEST_CASE("self_attention: gradient matches central differences" * doctest::skip(!real_is_double)) {
  CHECK(gradient_fault("self_attention", attend({1}, 1), {random_input({1, 3}, 1)}) == "");
  CHECK(gradient_fault("self_attention", attend({3, 1, 5}, 2), {random_input({9, 18}, 1)}) == "");
  CHECK(gradient_fault("self_attention", attend({2, 4}, 3), {random_input({6, 9}, 1)}) == "");
  // Longer than the tiles over queries and keys.
  CHECK(gradient_fault("self_attention", attend({131}, 1), {random_input({131, 3}, 1)}) == "");
}

TEST_CASE("self_attention: shapes that do not fit are named") {
  CHECK(error_text([] {
          self_attention(random_input({4, 10}, 1), Segments({4}), 2);
        }) == "attention: expected qkv [tokens, 3 * heads * d], got [4, 10] for 2 heads");
  CHECK(error_text([] {
          self_attention(random_input({4, 12}, 1), Segments({4}), 0);
        }) == "attention: expected qkv [tokens, 3 * heads * d], got [4, 12] for 0 heads");
  CHECK(error_text([] {
          self_attention(random_input({4, 12}, 1), Segments({3}), 2);
        }) == "attention: 4 rows do not match 3 tokens");
}
