#include "train/model_builder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "nn/json_text.h"
#include "tensor/printable.h"
#include "tensor/require.h"

namespace bf {
namespace {

using nlohmann::json;

Policy policy_of(const std::string& attention) {
  if (attention == "fixed") return Policy::fixed_budget;
  return attention == "random" ? Policy::random_gate : Policy::learned;
}

/// Calls visit(name, field) for every field that is a number or a text: one list for both ways.
template <typename Config, typename Visit>
void visit_transformer(Config& config, Visit visit) {
  visit("vocabulary", config.vocabulary);
  visit("classes", config.classes);
  visit("dim", config.dim);
  visit("layers", config.layers);
  visit("heads", config.heads);
  visit("head_width", config.width);
  visit("ffn", config.ffn);
  visit("max_length", config.max_length);
  visit("dropout", config.dropout);
  visit("positions", config.positions);
}

template <typename Config, typename Visit>
void visit_budget(Config& config, Visit visit) {
  visit("fixed_budget", config.fixed_budget);
  visit("budget_min", config.budget_min);
  visit("budget_max", config.budget_max);
  visit("hinge", config.hinge);
  visit("logit_penalty", config.logit_penalty);
  visit("head_price", config.head_price);
  visit("entropy", config.entropy);
  visit("tau_start", config.tau_start);
  visit("tau_end", config.tau_end);
  visit("noise", config.noise);
  visit("dense", config.dense);
  visit("price_ramp", config.price_ramp);
  visit("explore", config.explore);
  visit("budget_noise", config.budget_noise);
  visit("jitter", config.jitter);
  visit("sparse_after", config.sparse_after);
  visit("controller_rate", config.controller_rate);
}

template <typename Value>
void read(const json& from, const char* name, Value& value) {
  require_data(from.is_object() && from.contains(name), "model configuration: \"", name,
               "\" is missing");
  require_data(read_exactly(from.at(name), value), "model configuration: \"", name,
               "\" has the wrong type: ", shortened(from.at(name).dump()));
}

void read_object(const json& from, const char* name, json& value) {
  require_data(from.is_object() && from.contains(name), "model configuration: \"", name,
               "\" is missing");
  value = from.at(name);
}

std::string read_text(const json& from, const char* name) {
  std::string text;
  read(from, name, text);
  return text;
}

}  // namespace

std::vector<std::string> attention_names() { return {"mha", "budget", "fixed", "random"}; }

Model make_model(const ModelConfig& config) {
  const std::vector<std::string> names = attention_names();
  require(std::find(names.begin(), names.end(), config.attention) != names.end(),
          "model: attention must be mha, budget, fixed or random, got \"",
          shortened(config.attention), '"');
  Model model{config, nullptr, nullptr};
  if (config.attention == "mha") {
    model.net = std::make_unique<TransformerClassifier>(config.transformer, config.seed);
    return model;
  }
  model.config.budget.policy = policy_of(config.attention);
  auto net = std::make_unique<BudgetFormerClassifier>(config.transformer, model.config.budget,
                                                      config.seed);
  model.budget = net.get();
  model.net = std::move(net);
  return model;
}

void require_model_fits(const ModelConfig& config, Index values, const std::string& file) {
  const TransformerConfig& c = config.transformer;
  const auto size = [](Index extent) { return static_cast<double>(extent); };
  const double dim = size(c.dim);
  const double heads = c.width > 0 ? size(c.heads) * size(c.width) : dim;
  // A fixed budget has no controller, a random gate no gate.
  const bool controls = config.attention == "budget" || config.attention == "random";
  const bool gates = config.attention == "budget" || config.attention == "fixed";
  const double layer = 4 * dim * heads + 2 * dim * size(c.hidden()) +
                       (controls ? size(c.dim / 4) * dim : 0) + (gates ? size(c.heads) * dim : 0);
  const double positions = size(c.max_length) * dim;
  const bool learned = c.positions == "learned";
  // A lower bound, in floating point, where no product wraps around.
  const double needed = (size(c.vocabulary) + size(c.classes)) * dim + size(c.layers) * layer +
                        (learned ? positions : 0);
  require_data(needed <= size(values), file, ": the model that it describes has ", needed,
               " parameters, the file holds ", values);
  require_data(c.max_length <= longest_text, file, ": max_length ", c.max_length, " exceeds ",
               longest_text);
  constexpr double most_waves = 1 << 26;
  require_data(learned || positions <= most_waves, file, ": max_length ", c.max_length, " x dim ",
               c.dim, " exceeds ", most_waves);
}

json to_json(const ModelConfig& config) {
  json transformer, budget;
  visit_transformer(config.transformer, [&](const char* name, auto& v) { transformer[name] = v; });
  visit_budget(config.budget, [&](const char* name, auto& v) { budget[name] = v; });
  budget["estimator"] = to_string(config.budget.estimator);
  budget["weighting"] = to_string(config.budget.weighting);
  budget["pool"] = to_string(config.budget.pool);
  return {{"attention", config.attention},
          {"seed", config.seed},
          {"transformer", transformer},
          {"budget", budget}};
}

ModelConfig model_config_from_json(const json& from) {
  ModelConfig config;
  json transformer, budget;
  read(from, "attention", config.attention);
  read(from, "seed", config.seed);
  read_object(from, "transformer", transformer);
  read_object(from, "budget", budget);
  visit_transformer(config.transformer,
                    [&](const char* name, auto& value) { read(transformer, name, value); });
  visit_budget(config.budget, [&](const char* name, auto& value) { read(budget, name, value); });
  config.budget.estimator = parse_estimator(read_text(budget, "estimator"));
  config.budget.weighting = parse_weighting(read_text(budget, "weighting"));
  config.budget.pool = parse_pool(read_text(budget, "pool"));
  config.budget.policy = policy_of(config.attention);
  return config;
}

}  // namespace bf
