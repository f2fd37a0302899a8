#pragma once

#include <string>
#include <vector>

#include "nn/module.h"
#include "train/nonfinite.h"

namespace bf {

struct AdamWConfig {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
};

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2019): with t counting steps and g
/// multiplied by the clipping factor,
///   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
///   w = w - r wd w - r (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps),  r = learning rate x rate
/// Decay only where ParameterOptions::decay; `rate` is ParameterOptions::rate. A frozen parameter
/// and one without a gradient keep their value and their moments.
class AdamW {
 public:
  /// The parameters must outlive the optimizer. Throws std::invalid_argument when a beta is outside
  /// [0, 1), epsilon is not positive or the decay is negative.
  explicit AdamW(std::vector<NamedParameter> parameters, const AdamWConfig& config = {});

  /// One update from the gradients as they stand. With `clip` > 0 all gradients are scaled by
  /// min(1, clip / norm), where norm is the Euclidean norm over all parameters together. Returns
  /// that norm, before clipping; it and the factor hold for every finite gradient, however large or
  /// small. Throws NonFinite, before anything is changed, when a gradient is not finite, naming the
  /// parameter.
  double step(double learning_rate, double clip = 0);

  /// Trainable parameters that had no gradient in the last step(): not part of that loss.
  const std::vector<std::string>& without_gradient() const { return without_gradient_; }
  /// Those and the ones whose gradient was zero everywhere.
  const std::vector<std::string>& unmoved() const { return unmoved_; }

  /// The first weight or moment that is not finite, or nothing:
  ///   the weight "head.bias" [3] has nan at element 0
  ///   the second moment of "head.bias" [3] has inf at element 2
  std::string non_finite_state() const;

  /// State, for checkpoints: updates so far, and m and v of each parameter (of its shape; zeros
  /// before its first update).
  std::uint64_t steps() const { return steps_; }
  void set_steps(std::uint64_t steps) { steps_ = steps; }
  struct Moments {
    Tensor first, second;
  };
  std::vector<Moments>& moments() { return moments_; }
  const std::vector<Moments>& moments() const { return moments_; }
  const std::vector<NamedParameter>& parameters() const { return parameters_; }

 private:
  double gradient_norm();
  double scaled_norm() const;
  void update(Index parameter, double learning_rate, double gradient_scale);

  std::vector<NamedParameter> parameters_;
  AdamWConfig config_;
  std::vector<Moments> moments_;
  std::vector<std::string> without_gradient_, unmoved_;
  std::uint64_t steps_ = 0;
};

}  // namespace bf
