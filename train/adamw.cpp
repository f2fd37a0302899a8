#include "train/adamw.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tensor/kernels.h"
#include "tensor/parallel.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// Below it, squares of single values may have been flushed to zero.
constexpr double least_squares = 1e-20;

}  // namespace

AdamW::AdamW(std::vector<NamedParameter> parameters, const AdamWConfig& config)
    : parameters_(std::move(parameters)), config_(config) {
  const auto in_unit = [](double beta) { return beta >= 0 && beta < 1; };
  require(in_unit(config.beta1) && in_unit(config.beta2), "adamw: betas must be in [0, 1), got ",
          config.beta1, " and ", config.beta2);
  require(config.epsilon > 0, "adamw: epsilon must be positive, got ", config.epsilon);
  require(config.weight_decay >= 0, "adamw: weight decay must not be negative, got ",
          config.weight_decay);
  for (const NamedParameter& parameter : parameters_) {
    const Shape& shape = parameter.variable->shape();
    moments_.push_back({Tensor::zeros(shape), Tensor::zeros(shape)});
  }
}

double AdamW::step(double learning_rate, double clip) {
  const ProfileScope scope(WorkKind::optimizer);
  const double norm = gradient_norm();
  const double scale = clip > 0 && norm > clip ? clip / norm : 1;
  ++steps_;
  for (Index i = 0; i < parameters_.size(); ++i) update(i, learning_rate, scale);
  return norm;
}

double AdamW::gradient_norm() {
  without_gradient_.clear();
  unmoved_.clear();
  double squares = 0;
  for (const NamedParameter& parameter : parameters_) {
    if (!parameter.variable->needs_grad()) continue;
    const Tensor& gradient = parameter.variable->grad();
    if (!gradient.defined()) {
      without_gradient_.push_back(parameter.name);
      unmoved_.push_back(parameter.name);
      continue;
    }
    const double square = sum_of_squares(gradient);
    if (square == 0 && largest_magnitude(gradient) == 0) unmoved_.push_back(parameter.name);
    squares += square;
  }
  return squares >= least_squares && std::isfinite(squares) ? std::sqrt(squares) : scaled_norm();
}

double AdamW::scaled_norm() const {
  double largest = 0, squares = 0;
  for (const NamedParameter& parameter : parameters_) {
    if (!parameter.variable->needs_grad()) continue;
    const Tensor& gradient = parameter.variable->grad();
    if (first_non_finite(gradient) < gradient.size()) {
      throw NonFinite(join_parts("adamw: step ", steps_ + 1, ": the gradient of \"", parameter.name,
                                 "\" is not finite"));
    }
    largest = std::max(largest, largest_magnitude(gradient));
  }
  for (const NamedParameter& parameter : parameters_) {
    if (largest == 0 || !parameter.variable->needs_grad()) continue;
    squares += sum_of_squares(parameter.variable->grad(), largest);
  }
  return largest * std::sqrt(squares);
}

std::string AdamW::non_finite_state() const {
  for (Index i = 0; i < parameters_.size(); ++i) {
    const std::pair<const char*, const Tensor*> all[] = {
        {"weight", &parameters_[i].variable->value()},
        {"first moment of", &moments_[i].first},
        {"second moment of", &moments_[i].second}};
    for (const auto& [what, tensor] : all) {
      const std::string fault = non_finite_text(*tensor);
      if (!fault.empty()) return join_parts("the ", what, " \"", parameters_[i].name, "\" ", fault);
    }
  }
  return "";
}

void AdamW::update(Index parameter, double learning_rate, double gradient_scale) {
  Variable& variable = *parameters_[parameter].variable;
  const ParameterOptions& options = parameters_[parameter].options;
  if (!variable.needs_grad() || !variable.grad().defined()) return;
  Tensor scaled = variable.grad();
  if (gradient_scale < static_cast<double>(std::numeric_limits<Real>::min())) {
    // As a Real the factor would be zero: a power of two, exact, goes ahead of the rest.
    constexpr double part = 0x1p-64;
    scaled = scaled.clone();
    scale_row(scaled.size(), static_cast<Real>(part), scaled.data(), scaled.data());
    gradient_scale /= part;
  }
  const double rate = learning_rate * options.rate;
  const double t = static_cast<double>(steps_);
  const AdamWStep step{.learning_rate = static_cast<Real>(rate),
                       .beta1 = static_cast<Real>(config_.beta1),
                       .beta2 = static_cast<Real>(config_.beta2),
                       .epsilon = static_cast<Real>(config_.epsilon),
                       .decay = static_cast<Real>(options.decay ? rate * config_.weight_decay : 0),
                       .correction1 = static_cast<Real>(1 / (1 - std::pow(config_.beta1, t))),
                       .correction2 = static_cast<Real>(1 / (1 - std::pow(config_.beta2, t))),
                       .gradient_scale = static_cast<Real>(gradient_scale)};
  const Real* gradient = scaled.data();
  Real* first = moments_[parameter].first.data();
  Real* second = moments_[parameter].second.data();
  Real* weight = variable.mutable_value().data();
  constexpr Index arrays = 7;  // gradient read; moments and weight read and written
  const ProfileScope scope(WorkKind::optimizer, arrays * variable.value().size() * sizeof(Real));
  parallel_for(variable.value().size(), rows_per_block(1), [&](Index begin, Index end) {
    adamw_row(end - begin, step, gradient + begin, first + begin, second + begin, weight + begin);
  });
}

}  // namespace bf
