#include <doctest/doctest.h>

#include "nn/dropout.h"
#include "tests/module_check.h"

using namespace bf;

namespace {

const Variable& ones() {
  static const Variable x(Tensor::full({40, 50}, 1), true);
  return x;
}

}  // namespace

TEST_CASE("nn dropout: in training values are dropped or scaled up, the mean stays") {
  RandomSource random(1);
  Dropout layer(0.25, random);
  double sum = 0;
  const Real kept = Real(1) / Real(0.75);
  for (const Real value : layer.forward(ones()).value().to_vector()) {
    CHECK((value == 0 || value == doctest::Approx(kept)));
    sum += static_cast<double>(value);
  }
  CHECK(sum / 2000 == doctest::Approx(1).epsilon(0.05));
}

TEST_CASE("nn dropout: evaluation is the identity and draws nothing") {
  RandomSource random(1);
  Dropout layer(0.25, random);
  layer.train(false);
  CHECK(layer.forward(ones()).value().data() == ones().value().data());
  CHECK(random.uses() == 0);
  layer.train();
  layer.forward(ones());
  CHECK(random.uses() == 1);
}

TEST_CASE("nn dropout: p = 0 is the identity in training too") {
  RandomSource random(1);
  const Dropout layer(0, random);
  CHECK(layer.forward(ones()).value().data() == ones().value().data());
  CHECK(random.uses() == 0);
}

TEST_CASE("nn dropout: the mask is a function of seed, step and use") {
  RandomSource random(1), again(1), other(2);
  const Dropout a(0.5, random), b(0.5, again), c(0.5, other);
  const auto mask = [&](const Dropout& layer, RandomSource& source, std::uint64_t step) {
    source.begin_step(step);
    return layer.forward(ones()).value();
  };
  const Tensor first = mask(a, random, 7);
  CHECK(same_bits(first, mask(b, again, 7)));
  CHECK_FALSE(same_bits(first, a.forward(ones()).value()));
  CHECK_FALSE(same_bits(first, mask(a, random, 8)));
  CHECK_FALSE(same_bits(first, mask(c, other, 7)));
  CHECK(same_bits(first, mask(a, random, 7)));
}

TEST_CASE("nn dropout: the gradient passes where the value did") {
  RandomSource random(1);
  const Dropout layer(0.5, random);
  Variable x(Tensor::full({40, 50}, 1), true);
  const Variable y = layer.forward(x);
  backward(y, Tensor::full({40, 50}, 1));
  CHECK(same_bits(x.grad(), y.value()));
}

TEST_CASE("nn dropout: a gradient check with dropout on is an error" *
          doctest::skip(!real_is_double)) {
  RandomSource random(1);
  Dropout layer(0.5, random);
  CHECK(error_text<std::logic_error>([&] {
          module_gradient_fault("dropout", layer, [&] { return layer.forward(ones()); });
        }) == "gradient check: dropout gives two results for one input; is dropout or noise on?");
}

TEST_CASE("nn dropout: a probability outside [0, 1) is refused") {
  RandomSource random(1);
  const auto fault = [&](double p) {
    return error_text<std::invalid_argument>([&] { Dropout(p, random); });
  };
  CHECK(fault(1) == "dropout: probability must be in [0, 1), got 1");
  CHECK(fault(-0.1) == "dropout: probability must be in [0, 1), got -0.1");
  CHECK(fault(std::nan("")) == "dropout: probability must be in [0, 1), got nan");
}
