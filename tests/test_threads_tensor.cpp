#include <doctest/doctest.h>

#include "tensor/attention.h"
#include "tensor/attention_probabilities.h"
#include "tensor/gemm.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tests/same_bits.h"
#include "tests/units.h"

using namespace bf;

namespace {

/// Chooses who computes products, for a scope.
class BackendGuard {
 public:
  explicit BackendGuard(GemmBackend backend) : before_(gemm_backend()) {
    set_gemm_backend(backend);
  }
  ~BackendGuard() { set_gemm_backend(before_); }
  BackendGuard(const BackendGuard&) = delete;
  BackendGuard& operator=(const BackendGuard&) = delete;

 private:
  GemmBackend before_;
};

/// Products of [rows, cols] with matrices on either side of it, the transposes among them.
Bits gemm_bits(Index rows, Index cols, GemmBackend backend) {
  const BackendGuard guard(backend);
  const Index n = cols / 2 + 1;
  const Tensor a = seeded_tensor({rows, cols}, 1), b = seeded_tensor({cols, n}, 2),
               bias = seeded_tensor({n}, 3), g = seeded_tensor({rows, n}, 4);
  Tensor c({rows, n}), da({rows, cols}), db({cols, n}), with_bias({rows, n}), packed({rows, n});
  gemm(1, a, b, 0, c);
  gemm(Real(0.5), g, ConstMatrix(b).t(), 0, da);
  gemm(1, ConstMatrix(a).t(), g, 0, db);
  gemm(1, ConstMatrix(a).t(), g, Real(0.25), db);
  gemm_bias(a, b, bias.data(), with_bias);
  const auto twice = [](Matrix tile, Index, Index) {
    for (Index i = 0; i < tile.rows; ++i) {
      for (Index j = 0; j < tile.cols; ++j) tile.data[i * tile.stride + j] *= 2;
    }
  };
  gemm_bias(a, PackedMatrix(b), bias.data(), packed, twice);
  Bits bits;
  bits.add("a b", c);
  bits.add("g b^T", da);
  bits.add("a^T g, added", db);
  bits.add("a b + bias", with_bias);
  bits.add("a b + bias of a rearranged b", packed);
  return bits;
}

Bits attention_bits(Index tokens, Index cols) {
  const Segments segments(odd_lengths(tokens));
  const Index heads = cols < 17 ? 1 : 3, d = cols / 17 + 1;
  const Tensor qkv = seeded_tensor({tokens, heads * 3 * d}, 1);
  const Attention saved = attention_forward(qkv, segments, heads);
  Bits bits;
  bits.add("the output", saved.out);
  bits.add("the log-sum-exp", saved.log_sum_exp);
  bits.add("the gradient",
           attention_backward(qkv, saved, seeded_tensor(saved.out.shape(), 2), segments, heads));
  bits.add("the probabilities",
           attention_probabilities(qkv, segments, heads, segments.count() - 1, heads - 1));
  return bits;
}

Bits random_bits(Index rows, Index cols) {
  Bits bits;
  bits.add("uniform", uniform_tensor({rows, cols}, -1, 3, {5, 6}));
  bits.add("normal", normal_tensor({rows, cols}, 1, 2, {5, 6}));
  bits.add("gumbel", gumbel_tensor({rows, cols}, {5, 6}));
  return bits;
}

Bits reduce_bits(Index rows, Index cols) {
  Tensor x = seeded_tensor({rows, cols}, 1), sums = seeded_tensor({cols}, 2);
  Bits bits;
  add_column_sums(x, 1, sums);
  bits.add("column sums", sums);
  bits.add("sum", sum_of(x));
  bits.add("sum of squares", sum_of_squares(x));
  bits.add("sum of squares of parts", sum_of_squares(x, 3));
  bits.add("largest magnitude", largest_magnitude(x));
  x[x.size() / 2] = std::numeric_limits<Real>::quiet_NaN();
  x[x.size() - 1] = std::numeric_limits<Real>::infinity();
  bits.add("first that is not finite", static_cast<double>(first_non_finite(x)));
  const std::string text = non_finite_text(x);
  bits.add("its description", std::vector<Index>(text.begin(), text.end()));
  return bits;
}

Bits blocked_bits(Index rows, Index cols) {
  const std::vector<Real> values = seeded_values(rows * cols, 5);
  Bits bits;
  bits.add("the sum", blocked_sum(values.size(), 1000, [&](Index first, Index last) {
             double part = 0;
             for (Index i = first; i < last; ++i) part += static_cast<double>(values[i]) / 3;
             return part;
           }));
  return bits;
}

const ThreadTable table{
    {"gemm", "gemm gemm_bias", [](Index r, Index c) { return gemm_bits(r, c, GemmBackend::own); }},
    {"gemm", "gemm gemm_bias",
     [](Index r, Index c) { return gemm_bits(r, c, GemmBackend::openblas); }},
    {"attention", "attention_forward attention_backward", attention_bits},
    {"attention_probabilities", "attention_probabilities", attention_bits},
    {"random", "uniform_tensor normal_tensor gumbel_tensor", random_bits},
    {"reduce",
     "add_column_sums sum_of sum_of_squares largest_magnitude first_non_finite non_finite_text "
     "non_finite_kind",
     reduce_bits},
    {"parallel", "parallel_for blocked_sum", blocked_bits}};

const std::string one_thread = "computes on the thread that calls it";
const ThreadExemptions exempt{
    {"allocator", "no numbers"},  {"flops", "counts"},
    {"kernels", one_thread},      {"openblas", "no numbers"},
    {"packed_block", one_thread}, {"panels", one_thread},
    {"printable", "no numbers"},  {"profile", "measures"},
    {"random_words", one_thread}, {"segments", "no numbers"},
    {"shape", "no numbers"},      {"tensor", "copies and fills, on the thread that calls it"},
    {"tile_product", one_thread}};

}  // namespace

TEST_CASE("threads_tensor: results have the same bits on 1, 2, 3 and 8 threads") {
  CHECK(table_fault(table) == "");
}

TEST_CASE("threads_tensor: no unit is forgotten") {
  CHECK(missing_in(table, exempt, "tensor", BF_TENSOR_UNITS) == "");
}

TEST_CASE("threads_tensor: a result that depends on the threads is found, and a table with a gap") {
  const ThreadTable faulty{{"gemm", "gemm gemm_bias", [](Index rows, Index) {
                              Bits bits;
                              bits.add("good", 1.0);
                              bits.add("bad", rows == 1031 && threads() == 3 ? 2.0 : 1.0);
                              return bits;
                            }}};
  CHECK(table_fault(faulty) == "gemm gemm gemm_bias at [1031, 129], 3 threads: other bits in bad");
  CHECK(missing_in(faulty, {}, "tensor", "gemm shape") == "tensor/shape: no function of it");
  CHECK(missing_in(faulty, {{"reduce", ""}}, "tensor", "reduce") ==
        "tensor/reduce calls blocked_sum(...)");
  CHECK(missing_in({{"random", "uniform_tensor gumbel_tensor", {}}}, {}, "tensor", "random") ==
        "tensor/random: normal_tensor");
  // Not a tensor, but it splits its work, if only by way of another function of the file.
  CHECK(
      splitting_functions("int a() { return 1; }\ndouble b(int x) {\n  return blocked_sum(x);\n}\n"
                          "void c() {\n  b(2);\n}\n")
          .count("c") == 1);
  CHECK(splitting_functions("int a() { return 1; }\nvoid c() {\n  a();\n}\n").count("c") == 0);
  CHECK(missing_in({{"reduce", "squared_norm", {}}}, {}, "tensor", "reduce") ==
        "tensor/reduce: add_column_sums");
  CHECK(missing_in({}, {}, "tensor", "none") == "tensor/none.cpp cannot be read");
  CHECK(thread_fault([] { return Bits(); }) == "there is no result");
}
