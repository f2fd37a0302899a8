#include "experiments/table.h"

#include <doctest/doctest.h>

#include <stdexcept>

TEST_CASE("table: the first column to the left, the others to the right, a rule below the head") {
  CHECK(bf::table({{"model", "s"}, {"MHA", "1.000"}, {"Budget", "0.2"}}) ==
        "model       s\n"
        "------  -----\n"
        "MHA     1.000\n"
        "Budget    0.2\n");
}

TEST_CASE("table: a row of another width is an error") {
  CHECK_THROWS_WITH_AS(bf::table({{"a", "b"}, {"c"}}), "table: a row has 1 cells, the first has 2",
                       std::invalid_argument);
}

TEST_CASE("table: digits after the point") {
  CHECK(bf::fixed_digits(0.12345, 3) == "0.123");
  CHECK(bf::fixed_digits(2, 1) == "2.0");
}

TEST_CASE("table: the name of a class commands no terminal and breaks no line") {
  CHECK(bf::table({{"class", "n"}, {"a\n\x1b", "1"}}) ==
        "class  n\n"
        "-----  -\n"
        "a      1\n");
}
