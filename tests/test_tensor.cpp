#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tensor/tensor.h"
#include "tests/values.h"

using namespace bf;

TEST_CASE("tensor: copies, reshapes and row ranges share the storage, clones do not") {
  Tensor a = Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor copy = a, view = a.reshape({3, 2}), tail = a.rows(1, 1), clone = a.clone();
  a[4] = 50;
  CHECK(copy[4] == 50);
  CHECK(view.row(2)[0] == 50);
  CHECK(tail.shape() == Shape{1, 3});
  CHECK(tail[1] == 50);
  CHECK(clone[4] == 5);
  CHECK(clone.shape() == a.shape());
}

TEST_CASE("tensor: a view keeps the values alive") {
  Tensor view;
  {
    const Tensor owner = Tensor::full({4, 2}, 3);
    view = owner.rows(2, 2);
    CHECK_FALSE(owner.unique());
  }
  CHECK(view.unique());
  CHECK(view.to_vector() == std::vector<Real>{3, 3, 3, 3});
}

TEST_CASE("tensor: cloning a view copies its rows alone") {
  const Tensor clone = Tensor::from({3, 2}, {1, 2, 3, 4, 5, 6}).rows(1, 2).clone();
  CHECK(clone.shape() == Shape{2, 2});
  CHECK(clone.to_vector() == std::vector<Real>{3, 4, 5, 6});
}

TEST_CASE("tensor: row ranges of every rank") {
  CHECK(Tensor::zeros({5}).rows(2, 3).shape() == Shape{3});
  CHECK(Tensor::zeros({5, 2, 3}).rows(4, 1).shape() == Shape{1, 2, 3});
  CHECK(Tensor::zeros({5, 2, 3, 2}).rows(0, 5).shape() == Shape{5, 2, 3, 2});
  const Tensor a = Tensor::from({3, 1, 2}, {1, 2, 3, 4, 5, 6});
  CHECK(a.rows(1, 2).rows(1, 1).to_vector() == std::vector<Real>{5, 6});
  CHECK(a.rows(3, 0).size() == 0);
}

TEST_CASE("tensor: scalars, empty and undefined tensors") {
  CHECK(Tensor::scalar(4).item() == 4);
  CHECK(Tensor::scalar(4).rank() == 0);
  CHECK(Tensor::full({1, 1}, 2).item() == 2);
  const Tensor undefined, empty({0, 3});
  CHECK_FALSE(undefined.defined());
  CHECK(undefined.size() == 0);
  CHECK(undefined.to_vector().empty());
  CHECK_FALSE(undefined.clone().defined());
  CHECK(empty.defined());
  CHECK(empty.size() == 0);
  CHECK(empty.row_size() == 3);
  CHECK(empty.clone().shape() == Shape{0, 3});
}

TEST_CASE("tensor: new values are undefined, which the tests see as NaN") {
  const Tensor fresh({3, 5});
  for (const Real value : fresh.to_vector()) CHECK(std::isnan(value));
  CHECK(Tensor::zeros({2}).to_vector() == std::vector<Real>{0, 0});
}

TEST_CASE("tensor: errors name the operation and both shapes") {
  const Tensor a = Tensor::zeros({4, 6});
  const auto text = [](auto body) { return error_text<std::invalid_argument>(body); };
  CHECK(text([&] {
          return a.reshape({5, 5});
        }) == "reshape: cannot view [4, 6] (24 elements) as [5, 5] (25 elements)");
  CHECK(text([&] { return a.rows(3, 2); }) == "rows: 3 to 5 are outside [4, 6]");
  CHECK(text([&] { return Tensor::scalar(1).rows(0, 1); }) == "rows: 0 to 1 are outside []");
  CHECK(text([&] { return a.item(); }) == "item: expected one value, got [4, 6]");
  CHECK(text([&] { return Tensor().item(); }) == "item: expected one value, got []");
  CHECK(text([] {
          return Tensor::from({2, 2}, {1, 2, 3});
        }) == "tensor: 3 values do not fill [2, 2] (4 elements)");
}

TEST_CASE("tensor: arithmetic keeps infinities and NaN, as no fast-math build would") {
  const volatile Real zero = 0, one = 1, far = -1000;
  CHECK(std::isnan(zero / zero));
  CHECK(std::isinf(one / zero));
  CHECK_FALSE(zero / zero == zero / zero);
  CHECK(std::exp(static_cast<float>(far)) == 0.0f);
  CHECK(std::numeric_limits<Real>::is_iec559);
}
