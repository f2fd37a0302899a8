#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "autograd/cross_entropy.h"
#include "nn/classifier.h"
#include "tensor/kernels.h"
#include "tensor/reduce.h"
#include "tests/module_check.h"

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

/// Makes, for a model, the function that updates it from its gradients, forgets these, and returns
/// their norm.
using MakeUpdate = std::function<std::function<double()>(Module& model)>;

/// Runs the ten steps of training.safetensors (see make_training.py for rates and clipping) and
/// compares loss and gradient norm of each.
inline std::string golden_training_fault(const MakeUpdate& make_update) {
  const GoldenFile golden("training");
  TransformerClassifier model({.vocabulary = 40,
                               .classes = 3,
                               .dim = 16,
                               .layers = 2,
                               .heads = 4,
                               .ffn = 32,
                               .max_length = 12,
                               .dropout = 0},
                              1);
  golden.load_into(model, "parameter.");
  const auto update = make_update(model);
  const Tensor& lengths = golden["lengths"];  // [steps, B]
  const Index steps = lengths.dim(0), batch = lengths.dim(1);
  const double tolerance = real_is_double ? 1e-7 : 1e-4;
  const Ids all_ids = golden.ids("ids");
  Index used = 0;
  for (Index step = 0; step < steps; ++step) {
    const Real* first = lengths.row(step);
    const Segments segments(std::vector<Index>(first, first + batch));
    std::vector<Id> ids;
    while (ids.size() < segments.tokens()) ids.push_back(all_ids[used++]);
    const Real* labels = golden["labels"].row(step);
    const Variable loss =
        cross_entropy(model.forward(ids, segments), std::vector<Id>(labels, labels + batch));
    backward(loss);
    const Tensor norm = Tensor::scalar(static_cast<Real>(update()));
    const auto fault = [&](const char* what, const Tensor& got, const char* want) {
      return value_fault(join_parts(what, " of step ", step), got,
                         golden[want].rows(step, 1).reshape({}), tolerance);
    };
    const std::string text = fault("loss", loss.value(), "losses") + fault("norm", norm, "norms");
    if (!text.empty()) return text;
  }
  return used == all_ids.size() ? "" : "ids are left over";
}

}  // namespace bf
