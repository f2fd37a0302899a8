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

TEST_CASE(
    "reduce: sums of huge finite floats are finite, and exact to the last digits of a double") {
  if (real_is_double) return;
  Tensor x = Tensor::full({20000}, Real(1e25));
  x[3] = 3, x[9000] = -Real(1e25);
  const double one = static_cast<double>(Real(1e25));
  CHECK(sum_of_squares(x) == doctest::Approx(19999 * one * one).epsilon(1e-12));
  const Tensor most = Tensor::full({10}, std::numeric_limits<Real>::max());
  CHECK(sum_of(most) == 10 * static_cast<double>(std::numeric_limits<Real>::max()));
  x[5] = std::numeric_limits<Real>::infinity();
  CHECK(sum_of_squares(x) == std::numeric_limits<double>::infinity());
  x[5] = std::numeric_limits<Real>::quiet_NaN();
  CHECK(std::isnan(sum_of_squares(x)));
  CHECK(std::isnan(sum_of(x)));
}

TEST_CASE("reduce: squares of scaled values and the largest magnitude, for every size and thread") {
  for (const Index n : Sizes{1, 8191, 8193, 50000}) {
    Tensor x = seeded_tensor({n}, 6);
    for (Index i = 0; i < n; ++i) x[i] *= Real(1e-30);
    x[n / 2] = -Real(7e-30);
    const double largest = static_cast<double>(Real(7e-30));
    double squares = 0;
    for (Index i = 0; i < n; ++i) squares += std::pow(static_cast<double>(x[i]) / largest, 2);
    double expected = 0;
    for (const Index thread_count : Sizes{1, 2, 8}) {
      const ThreadsGuard guard(thread_count);
      CHECK(largest_magnitude(x) == largest);
      const double sum = sum_of_squares(x, largest);
      CHECK(sum == doctest::Approx(squares).epsilon(1e-12));
      if (thread_count == 1) expected = sum;
      CHECK(sum == expected);
    }
  }
  CHECK(largest_magnitude(Tensor({0})) == 0);
}

TEST_CASE("reduce: a value that is not finite is described") {
  CHECK(non_finite_text(seeded_tensor({2, 3}, 1)) == "");
  CHECK(std::string(non_finite_kind(-NAN)) == "nan");
  CHECK(std::string(non_finite_kind(1)) == "finite");
  CHECK(non_finite_text(Tensor::from({2, 2}, {1, 2, Real(NAN), 3})) ==
        "[2, 2] has nan at element 2");
  CHECK(non_finite_text(Tensor::from({2}, {1, Real(INFINITY)})) == "[2] has inf at element 1");
  CHECK(non_finite_text(Tensor::from({2}, {-Real(INFINITY), 1})) == "[2] has -inf at element 0");
}
