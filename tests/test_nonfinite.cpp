#include "train/nonfinite.h"

#include <doctest/doctest.h>

#include "autograd/multiply.h"
#include "autograd/scale.h"
#include "autograd/sum.h"

using namespace bf;

namespace {

Variable parameter(Real value) { return Variable(Tensor::full({2}, value), true); }

}  // namespace

TEST_CASE("nonfinite: the limit on updates that are skipped") {
  CHECK(too_many({.total = 10, .in_a_row = 10}, 100000) == "");
  CHECK(too_many({.total = 11, .in_a_row = 11}, 100000) ==
        "it is number 11 in a row, and 10 may be skipped");
  CHECK(too_many({.total = 10, .in_a_row = 1}, 20) == "");
  CHECK(too_many({.total = 11, .in_a_row = 1}, 20) ==
        "it is number 11 of 20 updates, and 10 may be skipped");
  CHECK(too_many({.total = 30, .in_a_row = 1}, 3000) == "");
  CHECK(too_many({.total = 31, .in_a_row = 1}, 3000) ==
        "it is number 31 of 3000 updates, and 30 may be skipped");
}

TEST_CASE(
    "nonfinite: the first operation and the first parameter are named, forward and backward") {
  Variable a = parameter(1), b = parameter(Real(1e30)), c = parameter(4);
  const std::vector<NamedParameter> parameters = {{"a", &a, {}}, {"b", &b, {}}, {"c", &c, {}}};
  const std::string first = "; the first parameter with a gradient that is not finite is ";
  CHECK(non_finite_cause(parameters, [&] { backward(sum(multiply(scale(b, Real(1e30)), c))); }) ==
        "scale: output [2] has inf at element 0" + first + "\"c\"");
  CHECK(non_finite_cause(parameters, [&] {
          const Variable one = multiply(scale(a, Real(1e-30)), b);
          backward(sum(scale(one, Real(1e30))));
        }) == "multiply: gradient of input 0 [2] has inf at element 0" + first + "\"a\"");
  CHECK(non_finite_cause(parameters, [&] { backward(sum(multiply(a, c))); }) ==
        "worked off again, every operation is finite");
  CHECK_FALSE(a.grad().defined());
  CHECK_FALSE(b.grad().defined());
}
