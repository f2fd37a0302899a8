#include "autograd/segment_max.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

TestedFunction pool(const std::vector<Index>& lengths) {
  return [segments = Segments(lengths)](const std::vector<Variable>& in) {
    return segment_max(in[0], segments);
  };
}

/// Values at least 0.01 apart, in no order, so that no step of a difference changes which is
/// largest.
Variable spread_input(const Shape& shape) {
  Tensor x(shape);
  for (Index i = 0; i < x.size(); ++i) {
    x[i] = static_cast<Real>((i * 37 + 11) % 101) * Real(0.01) - Real(0.5);
  }
  return Variable(x, true);
}

}  // namespace

TEST_CASE("segment_max: each column has the maximum of its own sequence") {
  const Variable x(Tensor::from({5, 2}, {1, -5, 3, -7, 2, -6, 0, 9, 4, 8}), true);
  const Variable y = segment_max(x, Segments({3, 2}));
  CHECK(mismatch(y.value(), {3, -5, 4, 9}) == "");
  backward(y, Tensor::from({2, 2}, {1, 2, 3, 4}));
  CHECK(mismatch(x.grad(), {0, 2, 1, 0, 0, 0, 0, 4, 3, 0}, 0) == "");
}

TEST_CASE("segment_max: of equal values the first gets the gradient") {
  const Variable x(Tensor::from({3, 1}, {1, 2, 2}), true);
  backward(segment_max(x, Segments({3})), Tensor::full({1, 1}, 1));
  CHECK(mismatch(x.grad(), {0, 1, 0}, 0) == "");
}

TEST_CASE("segment_max: a NaN is not hidden, wherever it stands") {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (const std::vector<Real>& values :
       {std::vector<Real>{nan, 1, 2}, std::vector<Real>{1, nan, 2}, std::vector<Real>{1, 2, nan}}) {
    CHECK(std::isnan(segment_max(Variable(Tensor::from({3, 1}, values)), Segments({3})).item()));
  }
}

TEST_CASE("segment_max: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Index d : std::vector<Index>{1, 5}) {
    CHECK(gradient_fault("segment_max", pool({1}), {spread_input({1, d})}) == "");
    CHECK(gradient_fault("segment_max", pool({3, 1, 5}), {spread_input({9, d})}) == "");
  }
}

TEST_CASE("segment_max: rows have to be the tokens of the segments") {
  CHECK(error_text([] {
          segment_max(random_input({4, 2}, 1), Segments({3}));
        }) == "segment_max: x [4, 2] does not have the 3 tokens of the segments");
}
