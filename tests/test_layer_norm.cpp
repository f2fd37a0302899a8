#include "autograd/layer_norm.h"

#include <doctest/doctest.h>

#include "tests/support.h"

using namespace bf;

namespace {

Variable apply(const std::vector<Variable>& in) { return layer_norm(in[0], in[1], in[2]); }

Variable ones(Index d) { return Variable(Tensor::full({d}, 1), true); }
Variable zeros(Index d) { return Variable(Tensor::zeros({d}), true); }

Tensor normalised(const std::vector<Real>& row) {
  const Index d = row.size();
  return layer_norm(Variable(Tensor::from({1, d}, row)), ones(d), zeros(d)).value();
}

/// Two passes in double over the values as `Real` holds them.
std::vector<double> reference(const std::vector<Real>& row) {
  const double n = static_cast<double>(row.size());
  double mean = 0, variance = 0;
  for (const Real x : row) mean += static_cast<double>(x) / n;
  for (const Real x : row) variance += std::pow(static_cast<double>(x) - mean, 2) / n;
  std::vector<double> result;
  for (const Real x : row) {
    result.push_back((static_cast<double>(x) - mean) / std::sqrt(variance + 1e-5));
  }
  return result;
}

}  // namespace

TEST_CASE("layer_norm: value and gradients equal PyTorch's") {
  const Golden golden("layer_norm");
  const Variable x = golden.leaf("x"), gamma = golden.leaf("gamma"), beta = golden.leaf("beta");
  const Variable y = layer_norm(x, gamma, beta);
  CHECK(mismatch(y.value(), golden.tensor("y")) == "");
  backward(y, golden.tensor("g"));
  CHECK(mismatch(x.grad(), golden.tensor("d_x")) == "");
  CHECK(mismatch(gamma.grad(), golden.tensor("d_gamma")) == "");
  CHECK(mismatch(beta.grad(), golden.tensor("d_beta")) == "");
}

TEST_CASE("layer_norm: a large mean loses nothing") {
  CHECK(mismatch(normalised({40000, 40001, 40002, 40003}),
                 {-1.341635, -0.447212, 0.447212, 1.341635}, 1e-3) == "");
  std::vector<Real> row;
  for (int i = 0; i < 16; ++i) row.push_back(static_cast<Real>(1000 + i * 1e-3));
  CHECK(mismatch(normalised(row), reference(row), 2e-3) == "");
  CHECK(reference(row)[0] == doctest::Approx(-1.3415).epsilon(2e-3));
}

TEST_CASE("layer_norm: any mean, with any spread about it that the numbers can hold") {
  for (const double mean : {0.0, 1.0, -1000.0, 40000.0, -1e6}) {
    for (const double spread : {1.0, 1e-3, 3e4}) {
      // Neighbouring numbers near the mean are this far apart.
      if (spread < 64 * std::abs(mean) * roundings(1)) continue;
      for (const Index d : std::vector<Index>{2, 7, 16, 256}) {
        CAPTURE(mean);
        CAPTURE(spread);
        std::vector<Real> row;
        for (const double v : doubles(normal_tensor({d}, 0, 1, {4, d}))) {
          row.push_back(static_cast<Real>(mean + spread * v));
        }
        CHECK(mismatch(normalised(row), reference(row), 2e-3) == "");
      }
    }
  }
}

TEST_CASE("layer_norm: a constant row gives beta and finite gradients") {
  const Index d = 256;
  const Variable x(Tensor::full({2, d}, 1234), true), gamma = ones(d);
  const Variable beta = random_input({d}, 1);
  const Variable y = layer_norm(x, gamma, beta);
  CHECK(mismatch(y.value().rows(0, 1).reshape({d}), beta.value(), 0) == "");
  CHECK(mismatch(y.value().rows(1, 1).reshape({d}), beta.value(), 0) == "");
  backward(y, normal_tensor({2, d}, 0, 1, {1, 2}));
  for (const Variable* v : {&x, &gamma, &beta}) {
    for (const double slope : doubles(v->grad())) CHECK(std::isfinite(slope));
  }
}

TEST_CASE("layer_norm: eps is used") {
  const Variable x(Tensor::from({1, 2}, {-1, 1}));
  CHECK(mismatch(layer_norm(x, ones(2), zeros(2), 3).value(), {-0.5, 0.5}) == "");
}

TEST_CASE("layer_norm: gradient matches central differences" * doctest::skip(!real_is_double)) {
  for (const Shape& shape : {Shape{1, 2}, Shape{1, 7}, Shape{3, 5}, Shape{5, 19}, Shape{70, 3}}) {
    CAPTURE(shape[1]);
    const Variable x = random_input(shape, 1), gamma = random_input({shape[1]}, 2);
    const Variable beta = random_input({shape[1]}, 3);
    CHECK(gradient_fault("layer_norm", apply, {x, gamma, beta}) == "");
    CHECK(gradient_fault("layer_norm", apply, {x.detach(), gamma, beta.detach()}) == "");
    CHECK(gradient_fault("layer_norm", apply, {x, gamma.detach(), beta.detach()}) == "");
  }
}

TEST_CASE("layer_norm: a row of one value is beta, with gradient 0 to the value") {
  const Variable x(Tensor::from({1, 1}, {5}), true), beta(Tensor::full({1}, 2), true);
  const Variable y = layer_norm(x, ones(1), beta);
  CHECK(y.item() == 2);
  backward(y);
  CHECK(x.grad().item() == 0);
  CHECK(beta.grad().item() == 1);
}

TEST_CASE("layer_norm: shapes that do not fit are named") {
  CHECK(error_text([] { layer_norm(random_input({3}, 1), ones(3), zeros(3)); }) ==
        "layer_norm: expected x [rows, D], got [3]");
  CHECK(error_text([] {
          layer_norm(random_input({2, 3}, 1), ones(4), zeros(3));
        }) == "layer_norm: x [2, 3] does not fit gamma [4] and beta [3]");
  CHECK(error_text([] {
          layer_norm(random_input({2, 3}, 1), ones(3), zeros(4));
        }) == "layer_norm: x [2, 3] does not fit gamma [3] and beta [4]");
}
