#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "tests/values.h"

namespace bf {

// Rows of every remainder, for the tests of kernels that work on one row.

using Row = std::vector<Real>;

/// Lengths that leave every remainder of every vector width, and some long ones.
inline std::vector<Index> row_lengths() {
  std::vector<Index> result{64, 100, 257, 768};
  for (Index n = 0; n <= 35; ++n) result.push_back(n);
  return result;
}

/// Calls body(n, start) for the lengths, each at several unaligned starts.
template <typename Body>
void for_lengths(Index least, Body body) {
  for (const Index n : row_lengths()) {
    if (n < least) continue;
    for (Index start = 0; start < 4; ++start) {
      CAPTURE(n);
      CAPTURE(start);
      body(n, start);
    }
  }
}

/// Runs `kernel(out)` into the middle of a larger buffer and compares with `expected(i)`; what
/// lies around the row must not change. `bound(i)` is the error allowed.
inline void check_row(Index n, Index start, const std::function<void(Real*)>& kernel,
                      const std::function<double(Index)>& expected,
                      const std::function<double(Index)>& bound) {
  Row out(start + n + 40, Real(-77));
  kernel(out.data() + start);
  Index wrong = 0, touched = 0;
  for (Index i = 0; i < out.size(); ++i) {
    if (i < start || i >= start + n) {
      touched += out[i] != Real(-77);
    } else {
      const Index at = i - start;
      wrong += !(std::abs(double{out[i]} - expected(at)) <= bound(at));
    }
  }
  CHECK(wrong == 0);
  CHECK(touched == 0);
}

}  // namespace bf
