#include "nn/module.h"

#include <sstream>

#include "tensor/require.h"

namespace bf {

std::vector<NamedParameter> Module::named_parameters() {
  std::vector<NamedParameter> result;
  collect("", result);
  return result;
}

Index Module::parameter_count(bool trainable_only) {
  Index count = 0;
  for (const NamedParameter& parameter : named_parameters()) {
    if (!trainable_only || parameter.variable->needs_grad()) {
      count += parameter.variable->value().size();
    }
  }
  return count;
}

void Module::zero_grad() {
  for (const NamedParameter& parameter : named_parameters()) parameter.variable->zero_grad();
}

void Module::train(bool on) {
  training_ = on;
  for (Child& child : children_) child.module->train(on);
}

void Module::freeze(bool on) {
  for (const NamedParameter& parameter : named_parameters()) {
    parameter.variable->set_needs_grad(!on);
  }
}

void Module::multiply_rate(double factor) {
  for (auto& parameter : parameters_) parameter->options.rate *= factor;
  for (Child& child : children_) child.module->multiply_rate(factor);
}

std::string Module::summary() {
  std::string text;
  summarise("model", 0, text);
  return text;
}

Variable& Module::add_parameter(const std::string& name, Tensor value, ParameterOptions options) {
  check_name(name);
  parameters_.push_back(
      std::make_unique<Parameter>(Parameter{name, Variable(std::move(value), true), options}));
  return parameters_.back()->variable;
}

void Module::adopt(const std::string& name, std::unique_ptr<Module> child) {
  check_name(name);
  require(child != nullptr, "module: the child \"", name, "\" is null");
  children_.push_back({name, std::move(child)});
}

void Module::check_name(const std::string& name) const {
  require(!name.empty() && name.find('.') == std::string::npos,
          "module: a name must not be empty or hold a dot, got \"", name, '"');
  bool taken = false;
  for (const auto& parameter : parameters_) taken = taken || parameter->name == name;
  for (const Child& child : children_) taken = taken || child.name == name;
  require(!taken, "module: the name \"", name, "\" is registered twice");
}

void Module::collect(const std::string& prefix, std::vector<NamedParameter>& into) {
  for (auto& parameter : parameters_) {
    into.push_back({prefix + parameter->name, &parameter->variable, parameter->options});
  }
  for (Child& child : children_) child.module->collect(prefix + child.name + '.', into);
}

void Module::summarise(const std::string& name, Index depth, std::string& into) {
  std::ostringstream line;
  line << std::string(2 * depth, ' ') << name << "  " << parameter_count();
  for (const auto& parameter : parameters_) {
    line << "  " << parameter->name << ' ' << parameter->variable.shape()
         << (parameter->variable.needs_grad() ? "" : " frozen");
  }
  into += line.str() + '\n';
  for (Child& child : children_) child.module->summarise(child.name, depth + 1, into);
}

}  // namespace bf
