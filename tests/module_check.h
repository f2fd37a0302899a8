#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/gradcheck.h"
#include "nn/module.h"
#include "nn/safetensors.h"
#include "tensor/ids.h"
#include "tensor/require.h"
#include "tensor/segments.h"
#include "tests/golden_folder.h"
#include "tests/values.h"

namespace bf {

// Helpers of the tests of modules. They return a text that is empty when all is well, so that
// CHECK(golden_fault(...) == "") prints what differs.

/// What check_gradients finds for the module's parameters, and `inputs` besides. `forward` uses the
/// module and the inputs themselves; copies of a Variable are the same variable.
inline std::string module_gradient_fault(
    const std::string& name, Module& module, const std::function<Variable()>& forward,
    const std::vector<std::pair<std::string, Variable>>& inputs = {}) {
  std::vector<Variable> variables;
  GradCheckOptions options;
  for (const auto& [label, input] : inputs) {
    variables.push_back(input);
    options.input_names.push_back(label);
  }
  for (const NamedParameter& parameter : module.named_parameters()) {
    variables.push_back(*parameter.variable);
    options.input_names.push_back(parameter.name);
  }
  const auto f = [&](const std::vector<Variable>&) { return forward(); };
  return check_gradients(name, f, variables, options).text;
}

/// A file of tests/golden (written by the Python scripts there).
class GoldenFile {
 public:
  explicit GoldenFile(const std::string& name)
      : path_(std::string(golden_folder) + "/" + name + ".safetensors"),
        file_(load_safetensors(path_)) {}

  const Tensor& operator[](const std::string& name) const {
    for (const auto& [key, tensor] : file_.tensors) {
      if (key == name) return tensor;
    }
    throw std::runtime_error("golden values: no \"" + name + "\" in " + path_);
  }
  /// Those whose names begin with `prefix`, without it.
  NamedTensors below(const std::string& prefix) const {
    NamedTensors found;
    for (const auto& [key, tensor] : file_.tensors) {
      if (key.starts_with(prefix)) found.emplace_back(key.substr(prefix.size()), tensor);
    }
    return found;
  }
  Ids ids(const std::string& name) const {
    const Tensor& values = (*this)[name];
    return Ids(std::vector<Id>(values.data(), values.data() + values.size()));
  }
  void load_into(Module& module, const std::string& prefix) const {
    load_parameters(module, {below(prefix), {}}, path_);
  }

 private:
  std::string path_;
  SafetensorsFile file_;
};

/// The first value of `got` further from `want` than tolerance max(1, |want|).
inline std::string value_fault(const std::string& name, const Tensor& got, const Tensor& want,
                               double tolerance) {
  if (!got.defined()) return name + " is undefined";
  if (!(got.shape() == want.shape())) {
    return join_parts(name, " has shape ", got.shape(), ", expected ", want.shape());
  }
  for (Index i = 0; i < got.size(); ++i) {
    const double a = static_cast<double>(got[i]), b = static_cast<double>(want[i]);
    if (std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b))) continue;
    return join_parts(name, " ", got.shape(), ": element ", i, " is ", a, ", expected ", b);
  }
  return "";
}

/// Runs `layer` of layers.safetensors: loads its parameters into the module, compares the output of
/// `forward` for the file's x, and after backward from the file's g the gradients of x and of every
/// parameter. Where x holds ids, `forward` reads them itself and gets a Variable to ignore.
inline std::string golden_fault(const std::string& layer, Module& module,
                                const std::function<Variable(const Variable&)>& forward) {
  const double tolerance = real_is_double ? 1e-12 : 2e-5;
  const GoldenFile golden("layers");
  golden.load_into(module, layer + ".parameter.");
  const Variable x(golden[layer + ".x"].clone(), true);
  const Variable y = forward(x);
  std::string fault = value_fault("y", y.value(), golden[layer + ".y"], tolerance);
  module.zero_grad();
  backward(y, golden[layer + ".g"]);
  for (const auto& [name, tensor] : golden.below(layer + ".dx")) {
    if (fault.empty()) fault = value_fault("dx", x.grad(), tensor, tolerance);
  }
  const NamedTensors gradients = golden.below(layer + ".gradient.");
  const auto parameters = module.named_parameters();
  if (gradients.size() != parameters.size()) return "gradients are missing in the file";
  for (const auto& [name, tensor] : gradients) {
    for (const NamedParameter& parameter : parameters) {
      if (!fault.empty() || parameter.name != name) continue;
      fault = value_fault("gradient of " + name, parameter.variable->grad(), tensor, tolerance);
    }
  }
  return fault.empty() ? "" : layer + ": " + fault;
}

/// The sequences of the packed inputs in layers.safetensors.
inline Segments golden_segments() { return Segments({4, 1, 6}); }

inline std::vector<std::string> parameter_names(Module& module) {
  std::vector<std::string> names;
  for (const NamedParameter& parameter : module.named_parameters()) names.push_back(parameter.name);
  return names;
}

}  // namespace bf
