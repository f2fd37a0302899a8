#include "autograd/gradcheck.h"

#include <doctest/doctest.h>

#include "autograd/dropout.h"
#include "autograd/matmul.h"
#include "autograd/multiply.h"
#include "autograd/scale.h"
#include "autograd/softmax.h"
#include "autograd/sum.h"
#include "tensor/gemm.h"
#include "tests/same_bits.h"
#include "tests/support.h"
#include "tests/units.h"

using namespace bf;

namespace {

using Inputs = std::vector<Variable>;

/// y = x * x with the backward `wrong`.
using SquareBackward = std::function<void(const GradBuffer& dx, const Tensor& g, const Tensor& x)>;
TestedFunction square_with(SquareBackward wrong) {
  return [wrong](const Inputs& in) {
    const Variable& x = in[0];
    return record(
        "square", multiply(x.detach(), x.detach()).value(), {x},
        [wrong, xv = x.value(), dx = x.grad_buffer()](const Tensor& g) { wrong(dx, g, xv); });
  };
}

Tensor square_gradient(const Tensor& g, const Tensor& x, double factor = 2) {
  Tensor d(x.shape());
  for (Index i = 0; i < d.size(); ++i) d[i] = static_cast<Real>(factor) * g[i] * x[i];
  return d;
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

}  // namespace

TEST_CASE("gradcheck: the float build is an error, not a failure" * doctest::skip(real_is_double)) {
  const Inputs inputs{random_input({2}, 1)};
  CHECK(error_text<std::logic_error>([&] {
          check_gradients(
              "scale", [](const Inputs& in) { return scale(in[0], 2); }, inputs);
        }) == "gradient check: scale: needs the double build; differences in float prove nothing");
}

TEST_CASE("gradcheck: active dropout is an error" * doctest::skip(!real_is_double)) {
  const Inputs inputs{random_input({64}, 1)};
  RandomSource random(1);
  CHECK(error_text<std::logic_error>([&] {
          check_gradients(
              "dropout", [&](const Inputs& in) { return dropout(in[0], 0.5, random.next()); },
              inputs);
        }) == "gradient check: dropout gives two results for one input; is dropout or noise on?");
}

TEST_CASE("gradcheck: a right backward passes well below the bar" *
          doctest::skip(!real_is_double)) {
  const auto report = check_gradients(
      "square", square_with([](const GradBuffer& dx, const Tensor& g, const Tensor& x) {
        dx.add(square_gradient(g, x));
      }),
      {random_input({3, 2}, 1)});
  CHECK(report.ok);
  CHECK(report.text == "");
  CHECK(report.worst < 1e-7);
  CHECK(report.worst > 0);
}

TEST_CASE("gradcheck: a wrong factor names the element" * doctest::skip(!real_is_double)) {
  GradCheckOptions options;
  options.input_names = {"x"};
  const auto report = check_gradients(
      "square", square_with([](const GradBuffer& dx, const Tensor& g, const Tensor& x) {
        Tensor d = square_gradient(g, x);
        d[3] *= Real(1.00001);  // one element of six, one part in 100,000
        dx.add(d);
      }),
      {random_input({3, 2}, 1)}, options);
  CHECK_FALSE(report.ok);
  CHECK(report.worst == doctest::Approx(1e-5).epsilon(0.01));
  CHECK(starts_with(report.text, "square: d/d x[1, 1]: analytic "));
  CHECK(report.text.find(", relative error 1e-05, shape [3, 2]") != std::string::npos);
}

TEST_CASE("gradcheck: a transposed gradient is reported" * doctest::skip(!real_is_double)) {
  const auto product = [](const Inputs& in) {
    const Variable &a = in[0], &b = in[1];
    Tensor y({3, 3});
    gemm(1, a.value(), b.value(), 0, y);
    return record("product", y, {a, b},
                  [av = a.value(), bv = b.value(), da = a.grad_buffer(),
                   db = b.grad_buffer()](const Tensor& g) {
                    Tensor d({3, 3});
                    gemm(1, g, ConstMatrix(bv).t(), 0, d);
                    da.add(d);
                    gemm(1, ConstMatrix(g).t(), av, 0, d = Tensor({3, 3}));  // (a^T g)^T
                    db.add(d);
                  });
  };
  const std::string text =
      gradient_fault("product", product, {random_input({3, 3}, 1), random_input({3, 3}, 2)});
  CHECK(starts_with(text, "product: d/d input 1[0, 1]: analytic "));  // the diagonal agrees
}

TEST_CASE("gradcheck: a backward that overwrites is reported" * doctest::skip(!real_is_double)) {
  const std::string text = gradient_fault(
      "square", square_with([](const GradBuffer& dx, const Tensor& g, const Tensor& x) {
        dx.add_by([&](Tensor& grad, Real) { grad = square_gradient(g, x); });
      }),
      {random_input({3}, 1)});
  CHECK(starts_with(text, "square: d/d input 0[0]: analytic "));
}

TEST_CASE("gradcheck: a backward that hands back zeros is reported" *
          doctest::skip(!real_is_double)) {
  const auto lazy = [](const Inputs& in) {
    return record("lazy", softmax(in[0].detach()).value(), {in[0]},
                  [shape = in[0].shape(), dx = in[0].grad_buffer()](const Tensor&) {
                    dx.add(Tensor::zeros(shape));
                  });
  };
  CHECK(starts_with(gradient_fault("lazy", lazy, {random_input({2, 3}, 1)}),
                    "lazy: d/d input 0[0, 0]: analytic 0, numeric "));
}

TEST_CASE("gradcheck: a NaN in a gradient is reported" * doctest::skip(!real_is_double)) {
  const std::string text = gradient_fault(
      "square", square_with([](const GradBuffer& dx, const Tensor& g, const Tensor& x) {
        Tensor d = square_gradient(g, x);
        d[1] = std::numeric_limits<Real>::quiet_NaN();
        dx.add(d);
      }),
      {random_input({3}, 1)});
  CHECK(starts_with(text, "square: d/d input 0[1]: analytic "));
}

TEST_CASE("gradcheck: an element that a backward left out is reported" *
          doctest::skip(!real_is_double)) {
  const std::string text = gradient_fault(
      "square", square_with([](const GradBuffer& dx, const Tensor& g, const Tensor& x) {
        Tensor d(x.shape());  // the tests fill fresh memory with NaN
        const Tensor right = square_gradient(g, x);
        for (Index i = 0; i + 1 < d.size(); ++i) d[i] = right[i];
        dx.add(d);
      }),
      {random_input({3}, 1)});
  CHECK(starts_with(text, "square: d/d input 0[2]: analytic "));
}

TEST_CASE("gradcheck: a branch detached by mistake is reported by name" *
          doctest::skip(!real_is_double)) {
  GradCheckOptions options;
  options.input_names = {"x", "gate.w"};
  const auto gated = [](const Inputs& in) {
    const Variable gate = softmax(in[1].detach());  // the mistake
    return multiply(in[0], gate);
  };
  const Inputs inputs{random_input({2, 3}, 1), random_input({2, 3}, 2)};
  CHECK(gradient_fault("layer", gated, inputs, options) == "layer: gate.w received no gradient");
  const auto all_detached = [](const Inputs& in) { return scale(in[0].detach(), 2); };
  CHECK(gradient_fault("layer", all_detached, inputs, options) == "layer: x received no gradient");
}

TEST_CASE("gradcheck: a gradient that is rightly zero passes" * doctest::skip(!real_is_double)) {
  CHECK(gradient_fault("softmax", [](const Inputs& in) { return softmax(in[0]); },
                       {random_input({3, 1}, 1)}) == "");
}

TEST_CASE("gradcheck: inputs come back with their values and without gradients" *
          doctest::skip(!real_is_double)) {
  const Variable x = random_input({2, 3}, 1), fixed(Tensor::full({2, 3}, 2));
  const Tensor before = x.value().clone();
  CHECK(gradient_fault("product", [](const Inputs& in) { return multiply(in[0], in[1]); },
                       {x, fixed}) == "");
  CHECK(same_bits(x.value(), before));
  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE(fixed.grad().defined());
}

TEST_CASE("gradcheck: random inputs differ by stream, need a gradient and repeat") {
  const Variable a = random_input({4}, 1), b = random_input({4}, 2);
  CHECK(a.needs_grad());
  CHECK(same_bits(a.value(), random_input({4}, 1).value()));
  CHECK_FALSE(same_bits(a.value(), b.value()));
}

TEST_CASE("gradcheck: no operation and no layer is without a check in its tests") {
  const auto unchecked = [](const std::string& units, const std::string& test) {
    std::string names;
    for (const std::string& unit : words_of(units)) {
      const std::string text = source_text("tests/" + test + unit + ".cpp");
      if (text.find("gradient_fault(") == std::string::npos) names += unit + ' ';
    }
    return names;
  };
  CHECK(unchecked(BF_AUTOGRAD_UNITS, "test_") == "tape variable ");
  CHECK(unchecked(BF_NN_UNITS, "test_nn_") == "atomic_file init json_text module safetensors ");
  CHECK(unchecked(BF_BUDGETFORMER_UNITS, "test_") == "config cost_model schedule statistics ");
}
