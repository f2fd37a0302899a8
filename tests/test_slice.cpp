#include "autograd/slice.h"

#include <doctest/doctest.h>

#include "autograd/add.h"
#include "tests/support.h"

using namespace bf;

namespace {

TestedFunction rows(Index first, Index count) {
  return [=](const std::vector<Variable>& in) { return slice_rows(in[0], first, count); };
}

TestedFunction cols(Index first, Index count) {
  return [=](const std::vector<Variable>& in) { return slice_cols(in[0], first, count); };
}

}  // namespace

TEST_CASE("slice: rows and columns in the middle, with zero gradient elsewhere") {
  const Variable x(Tensor::from({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), true);
  CHECK(mismatch(slice_rows(x, 1, 1).value(), Tensor::from({1, 3}, {4, 5, 6})) == "");
  CHECK(mismatch(slice_cols(x, 1, 2).value(), Tensor::from({3, 2}, {2, 3, 5, 6, 8, 9})) == "");
  backward(slice_rows(x, 1, 1), Tensor::from({1, 3}, {1, 2, 3}));
  CHECK(mismatch(x.grad(), {0, 0, 0, 1, 2, 3, 0, 0, 0}, 0) == "");
  backward(slice_cols(x, 2, 1), Tensor::from({3, 1}, {10, 20, 30}));
  CHECK(mismatch(x.grad(), {0, 0, 10, 1, 2, 23, 0, 0, 30}, 0) == "");
}

TEST_CASE("slice: rows are a view, columns are not") {
  const Variable x = random_input({3, 2}, 1);
  CHECK(slice_rows(x, 1, 2).value().data() == x.value().row(1));
  CHECK(slice_cols(x, 0, 2).value().data() != x.value().data());
}

TEST_CASE("slice: overlapping slices add their gradients") {
  const Variable x = random_input({3, 2}, 1);
  backward(add(slice_rows(x, 0, 2), slice_rows(x, 1, 2)), Tensor::full({2, 2}, 1));
  CHECK(mismatch(x.grad(), {1, 1, 2, 2, 1, 1}, 0) == "");
}

TEST_CASE("slice: an empty slice has no values and gives back zeros") {
  const Variable x = random_input({2, 3}, 1);
  const Variable y = slice_rows(x, 2, 0);
  CHECK(y.shape() == Shape{0, 3});
  backward(y, Tensor::zeros({0, 3}));
  backward(slice_cols(x, 3, 0), Tensor::zeros({2, 0}));
  CHECK(mismatch(x.grad(), std::vector<double>(6, 0.0), 0) == "");
}

TEST_CASE("slice: gradient matches central differences" * doctest::skip(!real_is_double)) {
  CHECK(gradient_fault("slice_rows", rows(0, 1), {random_input({1, 1}, 1)}) == "");
  CHECK(gradient_fault("slice_rows", rows(2, 3), {random_input({7, 5}, 1)}) == "");
  CHECK(gradient_fault("slice_cols", cols(0, 1), {random_input({1, 1}, 1)}) == "");
  CHECK(gradient_fault("slice_cols", cols(2, 3), {random_input({5, 7}, 1)}) == "");
}

TEST_CASE("slice: ranges outside are named") {
  const Variable x = random_input({4, 5}, 1);
  CHECK(error_text([&] { slice_rows(x, 3, 2); }) == "slice_rows: rows 3 to 5 are outside [4, 5]");
  CHECK(error_text([&] { slice_cols(x, 6, 0); }) ==
        "slice_cols: columns 6 to 6 are outside [4, 5]");
  CHECK(error_text([] { slice_rows(random_input({4}, 1), 0, 1); }) ==
        "slice_rows: rows 0 to 1 are outside [4]");
}
