#include <doctest/doctest.h>

#include <sstream>

#include "tensor/shape.h"
#include "tests/values.h"

using namespace bf;

TEST_CASE("shape: size is the product of the extents, 1 for a scalar, 0 for an empty axis") {
  CHECK(Shape{}.size() == 1);
  CHECK(Shape{7}.size() == 7);
  CHECK(Shape{2, 3, 4, 5}.size() == 120);
  CHECK(Shape{3, 0}.size() == 0);
  CHECK(Shape{2, 3, 4}.row_size() == 12);
  CHECK(Shape{0, 3}.row_size() == 3);
  CHECK(Shape{5}.row_size() == 1);
  CHECK(Shape{2, 3, 4}.rank() == 3);
  CHECK(Shape{2, 3, 4}[2] == 4);
}

TEST_CASE("shape: equal means the same rank and the same extents") {
  CHECK(Shape{2, 3} == Shape{2, 3});
  CHECK_FALSE(Shape{2, 3} == Shape{3, 2});
  CHECK_FALSE(Shape{2, 3} == Shape{2, 3, 1});
  CHECK_FALSE(Shape{} == Shape{1});
}

TEST_CASE("shape: printed in brackets") {
  std::ostringstream text;
  text << Shape{32, 64} << Shape{} << Shape{5};
  CHECK(text.str() == "[32, 64][][5]");
}

TEST_CASE("shape: errors name the rank, the axis and the extents") {
  CHECK(error_text<std::invalid_argument>([] {
          Shape{1, 1, 1, 1, 1};
        }) == "shape: rank 5 exceeds 4");
  CHECK(error_text<std::invalid_argument>([] {
          return Shape{2, 3}[2];
        }) == "shape: axis 2 is outside [2, 3] of rank 2");
  CHECK(error_text<std::invalid_argument>([] { return Shape{}[0]; }) ==
        "shape: axis 0 is outside [] of rank 0");
}

TEST_CASE("shape: a number of elements that no size can hold is an error") {
  const Index huge = Index{1} << 40;
  CHECK(error_text<std::invalid_argument>([&] {
          Shape{huge, huge};
        }) == "shape: [1099511627776, 1099511627776] has more elements than memory can hold");
  CHECK(Shape{huge, huge, 0}.size() == 0);
}
