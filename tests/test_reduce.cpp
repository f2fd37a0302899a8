#include <doctest/doctest.h>

#include <cmath>

#include "tensor/reduce.h"
#include "tests/values.h"

using namespace bf;

TEST_CASE("reduce: column sums equal a loop, beta = 0 never reads the output") {
  for (const Index rows : Sizes{0, 1, 255, 256, 257, 1000}) {
    for (const Index cols : Sizes{1, 5, 17, 64}) {
      for (const Real beta : {Real(0), Real(1), Real(-2)}) {
        const Tensor x = seeded_tensor({rows, cols}, 1), before = seeded_tensor({cols}, 2);
        Tensor out = beta == 0 ? Tensor({cols}) : before.clone();  // a fresh tensor holds NaN
        add_column_sums(x, beta, out);
        Index wrong = 0;
        for (Index j = 0; j < cols; ++j) {
          double sum = beta * before[j], size = std::abs(sum);
          for (Index i = 0; i < rows; ++i) {
            sum += x[i * cols + j], size += std::abs(double{x[i * cols + j]});
          }
          wrong += !(std::abs(out[j] - sum) <= static_cast<double>(rows + 2) * epsilon * size);
        }
        CAPTURE(rows);
        CAPTURE(cols);
        CAPTURE(beta);
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("reduce: sums equal a loop for every length") {
  for (const Index n : Sizes{0, 1, 17, 8191, 8192, 8193, 50000}) {
    const Tensor x = seeded_tensor({n}, 3);
    double sum = 0, squares = 0, size = 0;
    for (Index i = 0; i < n; ++i) {
      sum += double{x[i]}, squares += double{x[i]} * double{x[i]}, size += std::abs(double{x[i]});
    }
    CHECK(std::abs(sum_of(x) - sum) <= 8192 * epsilon * size);
    CHECK(std::abs(sum_of_squares(x) - squares) <= 8192 * epsilon * squares);
  }
}

TEST_CASE("reduce: the same bits on 1, 2 and 8 threads") {
  const Tensor x = seeded_tensor({3001, 33}, 4);
  Tensor expected({33});
  double sum = 0, squares = 0;
  for (const Index thread_count : Sizes{1, 2, 8}) {
    const ThreadsGuard guard(thread_count);
    Tensor out({33});
    add_column_sums(x, 0, out);
    if (thread_count == 1) expected = out, sum = sum_of(x), squares = sum_of_squares(x);
    CHECK(same_bits(out, expected));
    CHECK(sum_of(x) == sum);
    CHECK(sum_of_squares(x) == squares);
  }
}

TEST_CASE("reduce: the first value that is not finite is found wherever it is") {
  for (const Index n : Sizes{1, 17, 8192, 20000}) {
    CHECK(first_non_finite(seeded_tensor({n}, 5)) == n);
    for (const Real bad : {Real(NAN), Real(INFINITY), Real(-INFINITY)}) {
      for (const Index at : Sizes{0, n / 2, n - 1}) {
        Tensor x = seeded_tensor({n}, 5);
        x[at] = bad;
        if (at + 1 < n) x[n - 1] = bad;
        CHECK(first_non_finite(x) == at);
      }
    }
  }
  CHECK(first_non_finite(Tensor({0})) == 0);
}

TEST_CASE("reduce: finite values whose sum overflows are finite") {
  CHECK(first_non_finite(Tensor::full({100}, std::numeric_limits<Real>::max())) == 100);
}

TEST_CASE("reduce: an output of the wrong size is an error") {
  Tensor out({4});
  CHECK(error_text<std::invalid_argument>([&] {
          add_column_sums(Tensor({3, 5}), 0, out);
        }) == "column sums: expected an output of 5 values for [3, 5], got [4]");
}
