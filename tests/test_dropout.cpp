#include "autograd/dropout.h"

#include <doctest/doctest.h>

#include "autograd/add.h"
#include "tests/support.h"

using namespace bf;

namespace {

constexpr RandomStream stream{5, 9};

TestedFunction drop(double p) {
  return [p](const std::vector<Variable>& in) { return dropout(in[0], p, stream); };
}

}  // namespace

TEST_CASE("dropout: values stay by the half words of the stream, scaled, and so do gradients") {
  const double p = 0.3;
  const Variable x = random_input({37, 3}, 1);
  const Variable y = dropout(x, p, stream);
  const Tensor g = normal_tensor({37, 3}, 0, 1, {2, 2});
  backward(y, g);
  std::vector<double> values, slopes;
  for (Index i = 0; i < 111; ++i) {
    const std::uint32_t draw = stream.word(i / 2) >> (i % 2 == 0 ? 0 : 16) & 0xFFFF;
    const double kept = std::round(0.7 * 65536), factor = draw < kept ? 65536 / kept : 0;
    values.push_back(factor * static_cast<double>(x.value()[i]));
    slopes.push_back(factor * static_cast<double>(g[i]));
  }
  CHECK(mismatch(y.value(), values) == "");
  CHECK(mismatch(x.grad(), slopes) == "");
}

TEST_CASE("dropout: the share that falls is p, and the mean stays") {
  const Index count = 200000;
  const Variable x(Tensor::full({count}, 1));
  for (const double p : {0.1, 0.5, 0.9}) {
    const Tensor y = dropout(x, p, stream).value();
    double sum = 0, zeros = 0;
    for (const double value : doubles(y)) sum += value, zeros += value == 0;
    const double deviation = std::sqrt(p * (1 - p) / static_cast<double>(count));
    CHECK(std::abs(zeros / static_cast<double>(count) - p) < 5 * deviation);
    CHECK(std::abs(sum / static_cast<double>(count) - 1) < 5 * deviation / (1 - p));
  }
}

TEST_CASE("dropout: another stream drops other values, the same stream the same") {
  const Variable x(Tensor::full({1000}, 1));
  const Tensor y = dropout(x, 0.5, stream).value();
  CHECK(same_bits(y, dropout(x, 0.5, stream).value()));
  CHECK_FALSE(same_bits(y, dropout(x, 0.5, {5, 10}).value()));
}

TEST_CASE("dropout: probability 0 is the variable itself, and a tiny one keeps everything") {
  const Variable x = random_input({1000}, 1);
  const Index before = tape_length();
  CHECK(dropout(x, 0, stream).value().data() == x.value().data());
  CHECK(tape_length() == before);
  CHECK(same_bits(dropout(x, 1e-18, stream).value(), x.value()));
}

TEST_CASE("residual_dropout: equals the plain composition, forward and backward") {
  for (const double p : {0.0, 0.3}) {
    const Variable x = random_input({41, 500}, 1), branch = random_input({41, 500}, 2);
    const Variable x2 = random_input({41, 500}, 1), branch2 = random_input({41, 500}, 2);
    const Variable y = residual_dropout(x, branch, p, stream);
    const Variable expected = add(x2, dropout(branch2, p, stream));
    CHECK(same_bits(y.value(), expected.value()));
    const Tensor g = normal_tensor({41, 500}, 0, 1, {2, 2});
    backward(y, g);
    backward(expected, g);
    CHECK(same_bits(x.grad(), x2.grad()));
    CHECK(same_bits(branch.grad(), branch2.grad()));
  }
}

TEST_CASE("residual_dropout: shapes that differ are named") {
  CHECK(error_text([&] {
          residual_dropout(random_input({2, 3}, 1), random_input({3, 2}, 1), 0.1, stream);
        }) == "residual_dropout: x [2, 3] and branch [3, 2] differ");
}

TEST_CASE("dropout: gradient of one fixed mask matches central differences" *
          doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 1, 19}}) {
    CAPTURE(shape.size());
    CHECK(gradient_fault("dropout", drop(0.4), {random_input(shape, 1)}) == "");
  }
}

TEST_CASE("dropout: a probability outside [0, 1) is named") {
  const Variable x = random_input({2}, 1);
  CHECK(error_text([&] { dropout(x, 1, stream); }) ==
        "dropout: probability must be in [0, 1), got 1");
  CHECK(error_text([&] { dropout(x, -0.1, stream); }) ==
        "dropout: probability must be in [0, 1), got -0.1");
  CHECK(error_text([&] { dropout(x, std::nan(""), stream); }) ==
        "dropout: probability must be in [0, 1), got nan");
}
