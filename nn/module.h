#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/variable.h"

namespace bf {

/// How the optimizer treats one parameter.
struct ParameterOptions {
  bool decay = true;  ///< weight decay; off for biases, norms and embeddings of positions
  double rate = 1;    ///< multiplier of the learning rate
};

/// A parameter as the module that owns it knows it; `name` is its path, "layers.0.ffn.up.weight".
struct NamedParameter {
  std::string name;
  Variable* variable;
  ParameterOptions options;
};

/// A layer or a model: registers its parameters and children by name, once, in its constructor.
/// Names, counts, loading, saving, freezing and the summary all follow from that registration.
/// Neither copyable nor movable, so the references that layers hold stay valid.
class Module {
 public:
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module() = default;

  /// All parameters in registration order, the module's own before its children's.
  std::vector<NamedParameter> named_parameters();
  /// Number of values in all parameters, or only in those that are not frozen.
  Index parameter_count(bool trainable_only = false);

  void zero_grad();
  /// Training (dropout and noise on) or evaluation, here and in every child. Modules start in
  /// training.
  void train(bool on = true);
  bool training() const { return training_; }
  /// Frozen parameters gather no gradient and an optimizer leaves them alone.
  void freeze(bool on = true);
  /// Multiplies the learning rate of every parameter here and below.
  void multiply_rate(double factor);
  /// One line per module: name, own parameters with shapes, count.
  std::string summary();

 protected:
  Module() = default;
  /// Throws std::invalid_argument when the name is taken, empty, or holds a dot.
  Variable& add_parameter(const std::string& name, Tensor value, ParameterOptions options = {});
  template <typename Child, typename... Args>
  Child& add_module(const std::string& name, Args&&... args) {
    auto child = std::make_unique<Child>(std::forward<Args>(args)...);
    Child& reference = *child;
    adopt(name, std::move(child));
    return reference;
  }
  /// The same for a child made elsewhere (by a factory).
  void adopt(const std::string& name, std::unique_ptr<Module> child);

 private:
  struct Parameter {
    std::string name;
    Variable variable;
    ParameterOptions options;
  };
  struct Child {
    std::string name;
    std::unique_ptr<Module> module;
  };

  void check_name(const std::string& name) const;
  void collect(const std::string& prefix, std::vector<NamedParameter>& into);
  void summarise(const std::string& name, Index depth, std::string& into);

  std::vector<std::unique_ptr<Parameter>> parameters_;
  std::vector<Child> children_;
  bool training_ = true;
};

}  // namespace bf
