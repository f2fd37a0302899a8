#include "train/adamw.h"

#include <cmath>
#include <utility>

#include "tensor/kernels.h"
#include "tensor/parallel.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/require.h"

namespace bf {

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
  double squares = 0;
  for (const NamedParameter& parameter : parameters_) {
    if (!parameter.variable->needs_grad()) continue;
    const Tensor& gradient = parameter.variable->grad();
    if (!gradient.defined()) {
      without_gradient_.push_back(parameter.name);
      continue;
    }
    const double square = sum_of_squares(gradient);
    require_data(std::isfinite(square), "adamw: step ", steps_ + 1, ": the gradient of \"",
                 parameter.name, "\" is not finite");
    squares += square;
  }
  return std::sqrt(squares);
}

void AdamW::update(Index parameter, double learning_rate, double gradient_scale) {
  Variable& variable = *parameters_[parameter].variable;
  const ParameterOptions& options = parameters_[parameter].options;
  if (!variable.needs_grad() || !variable.grad().defined()) return;
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
  const Real* gradient = variable.grad().data();
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
