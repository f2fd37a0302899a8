#pragma once

#include <string>
#include <vector>

#include "autograd/tape.h"

namespace bf {

/// What check_gradients found. Use it as CHECK_MESSAGE(report.ok, report.text).
struct GradCheckReport {
  bool ok = true;
  double worst = 0;  ///< largest relative error met
  /// The first fault, e.g. "matmul: d/d rhs[3, 0]: analytic 0.4121, numeric 0.3980, relative error
  /// 3.4e-02, shape [4, 3]"; empty when ok.
  std::string text;
};

struct GradCheckOptions {
  double step = 1e-5;
  double tolerance = 1e-6;  ///< on |analytic - numeric| / max(|analytic|, |numeric|, 1e-3)
  std::uint64_t seed = 1;
  std::vector<std::string> input_names;  ///< for the report; "input i" where missing
};

/// Compares the gradients that backward() gives for `f` with central differences, at every element
/// of every input that needs a gradient. The cotangent is random (with ones, a softmax whose
/// backward does nothing would pass), and the gradients hold something already, so that a backward
/// that overwrites instead of adding is seen. An input that receives no gradient is reported by
/// name. The gradients of the inputs are cleared at the end.
/// Throws std::logic_error in the float build, where differences prove nothing, and when two calls
/// of f differ (dropout or noise is on).
GradCheckReport check_gradients(const std::string& name,
                                const std::function<Variable(const std::vector<Variable>&)>& f,
                                std::vector<Variable> inputs, const GradCheckOptions& options = {});

/// A random leaf for checks: normal values of the given deviation, needing a gradient.
Variable random_input(const Shape& shape, std::uint64_t stream, double deviation = 1);

}  // namespace bf
