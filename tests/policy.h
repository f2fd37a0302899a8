#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "autograd/gradcheck.h"
#include "budgetformer/model.h"
#include "tensor/flops.h"
#include "tests/values.h"

namespace bf {

// What the tests of budgetformer/ share: small models, seeded parameters, comparison of gradients.

inline TransformerConfig small_model() {
  return {.vocabulary = 40,
          .classes = 3,
          .dim = 16,
          .layers = 2,
          .heads = 4,
          .ffn = 24,
          .max_length = 256,
          .dropout = 0};
}

/// The state of a test in the middle of training, without noise unless it says so.
inline PolicyState middle_state() {
  return {.dense = false, .temperature = 0.7, .noise = 0, .price = 0.2, .entropy = 0.05};
}

inline Ids seeded_ids(Index count, std::uint64_t seed, Index vocabulary = 40) {
  const RandomStream stream{seed, 78};
  std::vector<Id> ids(count);
  for (Index i = 0; i < count; ++i) ids[i] = static_cast<Id>(stream.word(i) % vocabulary);
  return ids;
}

/// Moves every parameter by normal values, so that none is at its start (biases 0, norms 1).
inline void disturb(Module& module, std::uint64_t seed, double deviation = 0.4) {
  for (const NamedParameter& parameter : module.named_parameters()) {
    Tensor& value = parameter.variable->mutable_value();
    const Tensor change = seeded_tensor(value.shape(), ++seed);
    for (Index i = 0; i < value.size(); ++i) value[i] += static_cast<Real>(deviation) * change[i];
  }
}

inline std::vector<Variable> parameters_of(Module& module) {
  std::vector<Variable> variables;
  for (const NamedParameter& parameter : module.named_parameters()) {
    variables.push_back(*parameter.variable);
  }
  return variables;
}

inline std::map<std::string, Variable*> by_name(Module& module) {
  std::map<std::string, Variable*> result;
  for (const NamedParameter& parameter : module.named_parameters()) {
    result[parameter.name] = parameter.variable;
  }
  return result;
}

/// Gives `to` the values that `from` has under the same names.
inline void copy_parameters(Module& from, Module& to) {
  const auto source = by_name(from);
  for (const auto& [name, variable] : by_name(to)) {
    const auto found = source.find(name);
    if (found != source.end()) variable->mutable_value() = found->second->value().clone();
  }
}

/// The first parameter of `expected` whose gradient in `actual` has other bits; empty when none.
inline std::string gradient_difference(Module& expected, Module& actual) {
  const auto others = by_name(actual);
  for (const auto& [name, variable] : by_name(expected)) {
    if (others.count(name) == 0) return name + " is missing";
    if (!variable->grad().defined()) return name + " has no gradient";
    if (!same_bits(variable->grad(), others.at(name)->grad())) return name;
  }
  return "";
}

/// Names of the parameters that have a gradient, sorted.
inline std::vector<std::string> with_gradient(Module& module) {
  std::vector<std::string> names;
  for (const auto& [name, variable] : by_name(module)) {
    if (variable->grad().defined()) names.push_back(name);
  }
  return names;
}

/// What check_gradients says; empty when all is well.
inline std::string gradient_fault(const std::string& name,
                                  const std::function<Variable(const std::vector<Variable>&)>& f,
                                  const std::vector<Variable>& inputs) {
  return check_gradients(name, f, inputs).text;
}

/// Largest |a - b|, relative to the largest |b| where that is above 1; infinite for a NaN.
inline double distance(const Tensor& a, const std::vector<double>& b) {
  double worst = a.size() == b.size() ? 0 : INFINITY, size = 1;
  for (const double value : b) size = std::max(size, std::abs(value));
  for (Index i = 0; i < std::min<Index>(a.size(), b.size()); ++i) {
    const double error = std::abs(static_cast<double>(a[i]) - b[i]) / size;
    worst = error <= worst ? worst : (error > worst ? error : INFINITY);
  }
  return worst;
}

inline double distance(const Tensor& a, const Tensor& b) {
  return distance(a, std::vector<double>(b.data(), b.data() + b.size()));
}

/// Operations that `body` executes.
template <typename Body>
Flops counted(Body body) {
  const Flops before = executed_flops();
  body();
  return executed_flops() - before;
}

/// A selection of the heads whose bit is set, one mask for each sequence.
inline HeadSelection selection_of(const std::vector<unsigned>& masks, Index heads) {
  HeadSelection selection{
      heads, {}, Tensor::zeros({masks.size(), heads}), Tensor::zeros({masks.size()})};
  for (Index b = 0; b < masks.size(); ++b) {
    Index count = 0;
    for (Index h = 0; h < heads; ++h) {
      if ((masks[b] >> h & 1) == 0) continue;
      selection.mask.row(b)[h] = 1;
      ++count;
    }
    selection.counts.push_back(count);
    selection.budgets[b] = static_cast<Real>(count) / static_cast<Real>(heads);
  }
  return selection;
}

}  // namespace bf
