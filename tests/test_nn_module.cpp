#include <doctest/doctest.h>

#include "autograd/linear.h"
#include "autograd/sum.h"
#include "nn/linear.h"
#include "tests/module_check.h"

using namespace bf;

namespace {

/// A module whose registrations the test makes.
struct Open : Module {
  using Module::add_module;
  using Module::add_parameter;
  using Module::adopt;
};

/// weight [2, 3], left.{a [2], deep.b [4]}, right.a [2]
struct Tree : Open {
  Tree()
      : weight(add_parameter("weight", seeded_tensor({2, 3}, 1))),
        left(add_module<Open>("left")),
        right(add_module<Open>("right")) {
    left.add_parameter("a", Tensor::zeros({2}), {.decay = false});
    left.add_module<Open>("deep").add_parameter("b", Tensor::zeros({4}), {.rate = 3});
    right.add_parameter("a", Tensor::zeros({2}));
  }
  Variable& weight;
  Open &left, &right;
};

std::vector<double> rates(Module& module) {
  std::vector<double> result;
  for (const NamedParameter& p : module.named_parameters()) result.push_back(p.options.rate);
  return result;
}

}  // namespace

TEST_CASE("module: names are paths in registration order, own parameters first") {
  Tree tree;
  CHECK(parameter_names(tree) ==
        std::vector<std::string>{"weight", "left.a", "left.deep.b", "right.a"});
  CHECK(parameter_names(tree.left) == std::vector<std::string>{"a", "deep.b"});
}

TEST_CASE("module: a named parameter is the variable the layer computes with") {
  Tree tree;
  CHECK(tree.named_parameters()[0].variable == &tree.weight);
  CHECK(tree.weight.needs_grad());
  const auto parameters = tree.named_parameters();
  CHECK(parameters[0].options.decay);
  CHECK_FALSE(parameters[1].options.decay);
  CHECK(parameters[2].options.rate == 3);
}

TEST_CASE("module: counts, all and trainable, and freezing") {
  Tree tree;
  CHECK(tree.parameter_count() == 14);
  CHECK(tree.parameter_count(true) == 14);
  tree.left.freeze();
  CHECK(tree.parameter_count() == 14);
  CHECK(tree.parameter_count(true) == 8);
  tree.freeze();
  CHECK(tree.parameter_count(true) == 0);
  tree.freeze(false);
  CHECK(tree.parameter_count(true) == 14);
}

TEST_CASE("module: a frozen parameter gathers no gradient, another still does") {
  RandomSource random(1);
  Linear layer(3, 2, random);
  layer.freeze();
  layer.bias().set_needs_grad(true);
  backward(sum(layer.forward(random_input({4, 3}, 1))));
  CHECK_FALSE(layer.weight().grad().defined());
  CHECK(layer.bias().grad().to_vector() == std::vector<Real>{4, 4});
  layer.freeze(false);
  backward(sum(layer.forward(random_input({4, 3}, 1))));
  CHECK(layer.weight().grad().defined());
}

TEST_CASE("module: zero_grad forgets the gradients of all below") {
  Tree tree;
  for (const NamedParameter& p : tree.named_parameters()) {
    p.variable->mutable_grad() = Tensor::full(p.variable->shape(), 1);
  }
  tree.zero_grad();
  for (const NamedParameter& p : tree.named_parameters()) CHECK_FALSE(p.variable->grad().defined());
}

TEST_CASE("module: starts in training; train reaches every child and only those") {
  Tree tree;
  CHECK((tree.training() && tree.left.training()));
  tree.left.train(false);
  CHECK((tree.training() && !tree.left.training() && tree.right.training()));
  tree.train(false);
  CHECK((!tree.training() && !tree.right.training()));
  tree.train();
  CHECK((tree.training() && tree.left.training()));
}

TEST_CASE("module: rate multipliers of nested modules multiply") {
  Tree tree;
  tree.left.multiply_rate(10);
  CHECK(rates(tree) == std::vector<double>{1, 10, 30, 1});
  tree.multiply_rate(0.5);
  CHECK(rates(tree) == std::vector<double>{0.5, 5, 15, 0.5});
}

TEST_CASE("module: the summary shows the tree with shapes, counts and what is frozen") {
  Tree tree;
  tree.right.freeze();
  CHECK(tree.summary() ==
        "model  14  weight [2, 3]\n"
        "  left  6  a [2]\n"
        "    deep  4  b [4]\n"
        "  right  2  a [2] frozen\n");
}

TEST_CASE("module: names that are taken, empty or hold a dot, and null children are refused") {
  Tree tree;
  const auto fault = [&](const std::string& name) {
    return error_text<std::invalid_argument>([&] { tree.add_parameter(name, Tensor::zeros({1})); });
  };
  CHECK(fault("weight") == "module: the name \"weight\" is registered twice");
  CHECK(fault("left") == "module: the name \"left\" is registered twice");
  CHECK(fault("") == "module: a name must not be empty or hold a dot, got \"\"");
  CHECK(fault("a.b") == "module: a name must not be empty or hold a dot, got \"a.b\"");
  CHECK(error_text<std::invalid_argument>([&] { tree.add_module<Open>("weight"); }) ==
        "module: the name \"weight\" is registered twice");
  CHECK(error_text<std::invalid_argument>([&] { tree.adopt("other", nullptr); }) ==
        "module: the child \"other\" is null");
  CHECK(tree.parameter_count() == 14);
}
