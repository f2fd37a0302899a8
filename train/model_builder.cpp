#include "train/model_builder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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
  try {
    from.at(name).get_to(value);
  } catch (const json::exception&) {
    throw std::runtime_error(join_parts("model configuration: \"", name,
                                        "\" has the wrong type: ", from.at(name).dump()));
  }
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
          "model: attention must be mha, budget, fixed or random, got \"", config.attention, '"');
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
  read(from, "transformer", transformer);
  read(from, "budget", budget);
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
