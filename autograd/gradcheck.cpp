#include "autograd/gradcheck.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "tensor/random.h"
#include "tensor/require.h"

namespace bf {
namespace {

using Function = std::function<Variable(const std::vector<Variable>&)>;

constexpr double smallest_scale = 1e-3;

double weighted_sum(const Tensor& values, const Tensor& weights) {
  double sum = 0;
  for (Index i = 0; i < values.size(); ++i) {
    sum += static_cast<double>(values[i]) * static_cast<double>(weights[i]);
  }
  return sum;
}

/// Element 5 of a [2, 3] tensor is "[1, 2]".
std::string position_text(const Shape& shape, Index element) {
  std::string text;
  for (Index axis = shape.rank(); axis-- > 0;) {
    text.insert(0, std::to_string(element % shape[axis]) + (text.empty() ? "" : ", "));
    element /= shape[axis];
  }
  return "[" + text + "]";
}

class Checker {
 public:
  Checker(std::string name, const Function& f, std::vector<Variable>& inputs,
          const GradCheckOptions& options)
      : name_(std::move(name)), f_(f), inputs_(inputs), options_(options) {}

  GradCheckReport run() {
    const Tensor value = evaluate();
    require_state(same_bits(value, evaluate()), "gradient check: ", name_,
                  " gives two results for one input; is dropout or noise on?");
    cotangent_ = normal_tensor(value.shape(), 0, 1, {options_.seed, 1});
    if (!every_input_receives_gradient()) return report_;
    for (Index i = 0; i < inputs_.size(); ++i) prefill(i);
    differentiate();
    for (Index i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].needs_grad()) check_input(i);
    }
    for (Variable& input : inputs_) input.zero_grad();
    return report_;
  }

 private:
  Tensor evaluate() const {
    const NoGrad no_grad;
    return f_(inputs_).value().clone();
  }

  static bool same_bits(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
  }

  void differentiate() const {
    const Variable output = f_(inputs_);
    if (output.needs_grad()) backward(output, cotangent_);
  }

  /// A first pass without earlier gradients: only there does "nothing arrived" differ from "zero
  /// arrived".
  bool every_input_receives_gradient() {
    for (Variable& input : inputs_) input.zero_grad();
    differentiate();
    for (Index i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].needs_grad() && !inputs_[i].grad().defined()) {
        fail(label(i) + " received no gradient");
      }
    }
    return report_.ok;
  }

  Tensor earlier(Index input) const {
    return normal_tensor(inputs_[input].shape(), 0, 1, {options_.seed, 2 + input});
  }

  void prefill(Index input) {
    if (inputs_[input].needs_grad()) inputs_[input].mutable_grad() = earlier(input);
  }

  void check_input(Index input) {
    const Tensor before = earlier(input), after = inputs_[input].grad();
    for (Index i = 0; i < before.size(); ++i) {
      const double analytic = static_cast<double>(after[i]) - static_cast<double>(before[i]);
      compare(input, i, analytic, difference(inputs_[input], i));
    }
  }

  /// Central difference of cotangent . f with respect to one value.
  double difference(Variable& input, Index element) const {
    const Real centre = input.value()[element];
    const auto moved = [&](double step) {
      input.mutable_value()[element] = static_cast<Real>(static_cast<double>(centre) + step);
      return weighted_sum(evaluate(), cotangent_);
    };
    const double above = moved(options_.step), below = moved(-options_.step);
    input.mutable_value()[element] = centre;
    return (above - below) / (2 * options_.step);
  }

  void compare(Index input, Index element, double analytic, double numeric) {
    const double scale = std::max({std::abs(analytic), std::abs(numeric), smallest_scale});
    const double error = std::abs(analytic - numeric) / scale;
    report_.worst = std::max(report_.worst, error);
    if (error <= options_.tolerance) return;  // false for NaN too
    std::ostringstream text;
    text << "d/d " << label(input) << position_text(inputs_[input].shape(), element)
         << ": analytic " << analytic << ", numeric " << numeric << ", relative error "
         << std::setprecision(2) << error << ", shape " << inputs_[input].shape();
    fail(text.str());
  }

  void fail(const std::string& what) {
    if (report_.ok) report_.text = name_ + ": " + what;
    report_.ok = false;
  }

  std::string label(Index input) const {
    return input < options_.input_names.size() ? options_.input_names[input]
                                               : "input " + std::to_string(input);
  }

  std::string name_;
  const Function& f_;
  std::vector<Variable>& inputs_;
  const GradCheckOptions& options_;
  Tensor cotangent_;
  GradCheckReport report_;
};

}  // namespace

GradCheckReport check_gradients(const std::string& name, const Function& f,
                                std::vector<Variable> inputs, const GradCheckOptions& options) {
  require_state(real_is_double, "gradient check: ", name,
                ": needs the double build; differences in float prove nothing");
  return Checker(name, f, inputs, options).run();
}

Variable random_input(const Shape& shape, std::uint64_t stream, double deviation) {
  return Variable(normal_tensor(shape, 0, static_cast<Real>(deviation), {20260422, stream}), true);
}

}  // namespace bf
