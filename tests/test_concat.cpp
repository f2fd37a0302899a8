#include "autograd/concat.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

TEST_CASE("concat: columns stand side by side, rows below one another") {
  const Variable a(Tensor::from({2, 1}, {1, 2}), true), b(Tensor::from({2, 2}, {3, 4, 5, 6}), true);
  const Variable side = concat_cols({a, b});
  CHECK(mismatch(side.value(), Tensor::from({2, 3}, {1, 3, 4, 2, 5, 6})) == "");
  backward(side, Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(mismatch(a.grad(), {1, 4}, 0) == "");
  CHECK(mismatch(b.grad(), {2, 3, 5, 6}, 0) == "");
  const Variable c(Tensor::from({1, 2}, {7, 8}), true);
  const Variable below = concat_rows({b, c});
  CHECK(mismatch(below.value(), Tensor::from({3, 2}, {3, 4, 5, 6, 7, 8})) == "");
  backward(below, Tensor::from({3, 2}, {1, 1, 1, 1, 9, 10}));
  CHECK(mismatch(b.grad(), {3, 4, 6, 7}, 0) == "");
  CHECK(mismatch(c.grad(), {9, 10}, 0) == "");
}

TEST_CASE("concat: one part twice gets both gradients, an empty part none") {
  const Variable a = random_input({1, 2}, 1), empty = random_input({0, 2}, 2);
  backward(concat_rows({a, empty, a}), Tensor::from({2, 2}, {1, 2, 10, 20}));
  CHECK(mismatch(a.grad(), {11, 22}, 0) == "");
  CHECK(empty.grad().shape() == Shape{0, 2});
}

TEST_CASE("concat: gradient matches central differences" * doctest::skip(!real_is_double)) {
  const auto cols = [](const std::vector<Variable>& in) { return concat_cols(in); };
  const auto rows = [](const std::vector<Variable>& in) { return concat_rows(in); };
  CHECK(gradient_fault("concat_cols", cols, {random_input({1, 1}, 1)}) == "");
  CHECK(gradient_fault("concat_cols", cols,
                       {random_input({3, 5}, 1), random_input({3, 1}, 2),
                        random_input({3, 2}, 3).detach(), random_input({3, 4}, 4)}) == "");
  CHECK(gradient_fault("concat_rows", rows,
                       {random_input({5, 3}, 1), random_input({1, 3}, 2).detach(),
                        random_input({2, 3}, 3)}) == "");
}

TEST_CASE("concat: parts that do not fit are named") {
  CHECK(error_text([] { concat_cols({}); }) == "concat_cols: expected at least one part");
  CHECK(error_text([] { concat_rows({}); }) == "concat_rows: expected at least one part");
  CHECK(error_text([] {
          concat_cols({random_input({2, 3}, 1), random_input({3, 3}, 2)});
        }) == "concat_cols: part 1 [3, 3] does not fit part 0 [2, 3]");
  CHECK(error_text([] {
          concat_rows({random_input({2, 3}, 1), random_input({2, 4}, 2)});
        }) == "concat_rows: part 1 [2, 4] does not fit part 0 [2, 3]");
  CHECK(error_text([] { concat_rows({random_input({2}, 1)}); }) ==
        "concat_rows: part 0 [2] does not fit part 0 [2]");
}
