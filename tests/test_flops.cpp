#include <doctest/doctest.h>

#include "tensor/attention.h"
#include "tensor/gemm.h"
#include "tests/values.h"

using namespace bf;

namespace {

template <typename Body>
Flops counted(Body body) {
  const Flops before = executed_flops();
  body();
  return executed_flops() - before;
}

/// The products of one attention layer that runs `heads` of its heads of width d: projections
/// [tokens, width] x [width, 3 heads d], the core, and the output [tokens, heads d] x [., width].
Flops attention_layer(Index tokens, Index width, Index heads, Index d) {
  const Tensor x = seeded_tensor({tokens, width}, 1);
  const Tensor w_qkv = seeded_tensor({3 * heads * d, width}, 2);
  const Tensor w_out = seeded_tensor({width, heads * d}, 3);
  Tensor qkv({tokens, 3 * heads * d}), out({tokens, width});
  return counted([&] {
    gemm(1, x, ConstMatrix(w_qkv).t(), 0, qkv);
    const Attention core = attention_forward(qkv, Segments({tokens}), heads);
    gemm(1, core.out, ConstMatrix(w_out).t(), 0, out);
  });
}

}  // namespace

TEST_CASE("flops: kinds are counted apart") {
  const Flops difference = counted([] {
    count_flops(FlopKind::linear, 5);
    count_flops(FlopKind::attention, 7);
  });
  CHECK(difference.linear == 5);
  CHECK(difference.attention == 7);
  CHECK(difference.total() == 12);
}

TEST_CASE("flops: a product counts 2 m n k") {
  const Tensor a = seeded_tensor({37, 19}, 1), b = seeded_tensor({19, 23}, 2);
  Tensor c({37, 23});
  const Flops difference = counted([&] { gemm(1, a, b, 0, c); });
  CHECK(difference.linear == 2 * 37 * 23 * 19);
  CHECK(difference.attention == 0);
}

TEST_CASE("flops: counts from many threads add up") {
  const ThreadsGuard guard(8);
  const Flops difference = counted(
      [] { parallel_for(1000, 1, [](Index, Index) { count_flops(FlopKind::linear, 3); }); });
  CHECK(difference.linear == 3000);
}

TEST_CASE("flops: attention core of 12 heads, 64 tokens, d = 64") {
  const Tensor qkv = seeded_tensor({64, 3 * 12 * 64}, 3);
  const Flops difference = counted([&] { attention_forward(qkv, Segments({64}), 12); });
  CHECK(difference.attention == 12582912);
  CHECK(difference.linear == 0);
}

TEST_CASE("flops: attention core counts every length of a batch as 4 L^2 d per head") {
  const Segments segments({1, 63, 65, 300});
  const Tensor qkv = seeded_tensor({segments.tokens(), 3 * 2 * 5}, 4);
  const Attention saved = attention_forward(qkv, segments, 2);
  const Index squares = 1 + 63 * 63 + 65 * 65 + 300 * 300;
  CHECK(counted([&] { attention_forward(qkv, segments, 2); }).attention == 4 * squares * 2 * 5);
  // Backward: five products of the same size where forward has two.
  CHECK(counted([&] { attention_backward(qkv, saved, saved.out, segments, 2); }).attention ==
        10 * squares * 2 * 5);
}

TEST_CASE("flops: one attention layer with 8 heads and with 1 of its 8 heads") {
  const Flops all = attention_layer(64, 768, 8, 96), one = attention_layer(64, 768, 1, 96);
  CHECK(all.linear == 226492416 + 75497472);
  CHECK(all.attention == 12582912);
  CHECK(all.total() == 314572800);
  CHECK(one.total() == 39321600);
}

TEST_CASE("flops: a feed-forward of 4 D counts its two products") {
  const Tensor x = seeded_tensor({64, 768}, 1), up = seeded_tensor({3072, 768}, 2);
  const Tensor down = seeded_tensor({768, 3072}, 3);
  Tensor inner({64, 3072}), out({64, 768});
  const Flops difference = counted([&] {
    gemm(1, x, ConstMatrix(up).t(), 0, inner);
    gemm(1, inner, ConstMatrix(down).t(), 0, out);
  });
  CHECK(difference.linear == 603979776);
}
