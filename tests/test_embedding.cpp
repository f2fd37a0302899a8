#include "autograd/embedding.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

/// `count` ids of a table, some of them many times.
Ids scattered_ids(Index count, Index rows) {
  std::vector<Id> ids;
  for (Index i = 0; i < count; ++i) ids.push_back(static_cast<Id>(i * i * 7 % rows));
  return Ids(ids);
}

TestedFunction lookup(const Ids& ids) {
  return [ids](const std::vector<Variable>& in) { return embedding(in[0], ids); };
}

}  // namespace

TEST_CASE("embedding: value and gradient equal PyTorch's, with an id three times") {
  const Golden golden("embedding");
  const Variable table = golden.leaf("table");
  const Variable y = embedding(table, golden.ids("ids"));
  CHECK(mismatch(y.value(), golden.tensor("y")) == "");
  backward(y, golden.tensor("g"));
  CHECK(mismatch(table.grad(), golden.tensor("d_table")) == "");
}

TEST_CASE("embedding: no ids give no rows and a gradient of zeros") {
  const Variable table = random_input({3, 2}, 1);
  const Variable y = embedding(table, Ids());
  CHECK(y.shape() == Shape{0, 2});
  backward(y, Tensor::zeros({0, 2}));
  CHECK(mismatch(table.grad(), std::vector<double>(6, 0.0), 0) == "");
}

TEST_CASE("embedding: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 7}, Shape{5, 1}, Shape{3, 5}}) {
    for (const Index count : std::vector<Index>{1, 2, 11}) {
      CAPTURE(count);
      CHECK(gradient_fault("embedding", lookup(scattered_ids(count, shape[0])),
                           {random_input(shape, 1)}) == "");
    }
  }
}

TEST_CASE("embedding: an id outside the table is named with its position") {
  const Variable table = random_input({4, 2}, 1);
  CHECK(error_text([&] {
          embedding(table, Ids({0, 3, 4}));
        }) == "embedding: id 4 at position 2 is outside the table of 4 rows");
  CHECK(error_text([&] { embedding(table, Ids({-1})); }) ==
        "embedding: id -1 at position 0 is outside the table of 4 rows");
  CHECK(error_text([] { embedding(random_input({4}, 1), Ids({0})); }) ==
        "embedding: expected a table [rows, D], got [4]");
}
