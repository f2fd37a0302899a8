#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/module.h"
#include "tensor/kernels.h"
#include "tensor/reduce.h"

namespace bf {

/// The smallest optimizer that trains: adamw_row over all parameters after clipping by their
/// common norm. The tests of nn/ cannot use train/, which is built on it.
class AdamWSteps {
 public:
  struct Options {
    double rate, decay, clip;
  };

  AdamWSteps(Module& module, const Options& options)
      : parameters_(module.named_parameters()), options_(options) {
    for (const NamedParameter& parameter : parameters_) {
      moments1_.push_back(Tensor::zeros(parameter.variable->shape()));
      moments2_.push_back(Tensor::zeros(parameter.variable->shape()));
    }
  }

  /// Updates the parameters and forgets their gradients; returns the norm before clipping.
  double step() {
    ++steps_;
    double squares = 0;
    for (const NamedParameter& p : parameters_) squares += sum_of_squares(p.variable->grad());
    const double norm = std::sqrt(squares), beta1 = 0.9, beta2 = 0.999;
    const double clipping = std::min(1.0, options_.clip / (norm + 1e-6));  // as PyTorch has it
    for (Index i = 0; i < parameters_.size(); ++i) {
      Variable& variable = *parameters_[i].variable;
      const double decay = parameters_[i].options.decay ? options_.decay * options_.rate : 0;
      const AdamWStep step{real(options_.rate),
                           real(beta1),
                           real(beta2),
                           real(1e-8),
                           real(decay),
                           real(1 / (1 - std::pow(beta1, steps_))),
                           real(1 / (1 - std::pow(beta2, steps_))),
                           real(clipping)};
      adamw_row(variable.value().size(), step, variable.grad().data(), moments1_[i].data(),
                moments2_[i].data(), variable.mutable_value().data());
      variable.zero_grad();
    }
    return norm;
  }

 private:
  static Real real(double value) { return static_cast<Real>(value); }

  std::vector<NamedParameter> parameters_;
  Options options_;
  std::vector<Tensor> moments1_, moments2_;
  int steps_ = 0;
};

}  // namespace bf
