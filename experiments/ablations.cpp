#include "experiments/ablations.h"

#include "tensor/require.h"

namespace bf {
namespace {

const Variant mha{.name = "mha", .settings = {{"attention", "mha"}}};
const Variant learned{.name = "budget", .settings = {{"attention", "budget"}}};

/// BudgetFormer with some options changed.
Variant changed(const std::string& name, const Settings& changes) {
  return {.name = name, .settings = merged(learned.settings, changes)};
}

/// Without anything that is ours and not the paper's.
const Settings paper_recipe = {{"estimator", "paper"}, {"controller-pool", "mean"},
                               {"head-price", "0"},    {"dense", "0"},
                               {"budget-noise", "0"},  {"logit-penalty", "0"}};

std::vector<Variant> parts_of_the_method() {
  return {mha,
          learned,
          changed("relaxed", {{"estimator", "relaxed"}}),
          changed("paper-estimator", {{"estimator", "paper"}}),
          changed("relevance-weights", {{"weighting", "relevance"}}),
          changed("no-noise", {{"noise", "0"}}),
          changed("no-budget-noise", {{"budget-noise", "0"}}),
          changed("no-annealing", {{"tau-end", "1"}}),
          changed("no-entropy", {{"entropy", "0"}}),
          changed("no-price", {{"head-price", "0"}}),
          changed("no-dense-start", {{"dense", "0"}}),
          changed("pool-mean", {{"controller-pool", "mean"}}),
          changed("pool-max", {{"controller-pool", "max"}}),
          changed("paper-recipe", paper_recipe),
          {.name = "paper-recipe-0.125", .model_of = "paper-recipe", .budget = "0.125"},
          {.name = "paper-recipe-1", .model_of = "paper-recipe", .budget = "1"},
          {.name = "random", .settings = {{"attention", "random"}}},
          {.name = "random-gate-at-test", .model_of = "budget", .gate = "random"}};
}

std::vector<Variant> gates() {
  return {mha,
          learned,
          {.name = "random-gate-at-test", .model_of = "budget", .gate = "random"},
          {.name = "random", .settings = {{"attention", "random"}}}};
}

std::vector<Variant> opponents(const TransformerConfig& base) {
  std::vector<Variant> variants{mha, learned};
  const std::string width = std::to_string(head_width(base.dim, base.heads, base.width));
  for (const char* heads : {"1", "2", "4"}) {
    const Settings fewer = {{"attention", "mha"}, {"heads", heads}, {"head-width", width}};
    variants.push_back({.name = std::string("mha-") + heads, .settings = fewer});
    variants.push_back({.name = std::string("pruned-") + heads,
                        .settings = merged(fewer, {{"epochs", "1"}}),
                        .pruned_from = "mha"});
  }
  for (const std::string budget : {"0.125", "0.25", "0.5", "1"}) {
    variants.push_back({.name = "fixed-" + budget,
                        .settings = {{"attention", "fixed"}, {"fixed-budget", budget}}});
    variants.push_back({.name = "budget-" + budget, .model_of = "budget", .budget = budget});
  }
  return variants;
}

std::vector<Variant> one_model_many_budgets() {
  std::vector<Variant> variants{mha, learned, changed("jitter", {{"budget-jitter", "0.5"}})};
  for (const std::string model : {"budget", "jitter"}) {
    const std::string prefix = model == "budget" ? "budget-" : "jitter-budget-";
    for (int eighths = 1; eighths <= 8; ++eighths) {
      const std::string budget = join_parts(eighths / 8.0);
      variants.push_back({.name = prefix + budget, .model_of = model, .budget = budget});
    }
  }
  return variants;
}

/// Both models with these settings, the reference first.
void add_pair(const std::string& name, const Settings& settings, std::vector<Variant>& variants) {
  for (const Variant& model : {mha, learned}) {
    variants.push_back({.name = model.name + '-' + name,
                        .reference = "mha-" + name,
                        .settings = merged(model.settings, settings)});
  }
}

/// Both models at each value of one option.
std::vector<Variant> over(const std::string& option, const std::vector<std::string>& values,
                          const Settings& also = {}) {
  std::vector<Variant> variants;
  for (const std::string& value : values) {
    add_pair(join_parts(option, '-', value), merged(also, {{option, value}}), variants);
  }
  return variants;
}

/// Both models on 1 %, 10 % and all of emotion's 16,000 training rows, all with as many updates.
std::vector<Variant> over_rows() {
  std::vector<Variant> variants;
  for (const auto& [rows, epochs] : {std::pair{"160", "400"}, {"1600", "40"}, {"16000", "4"}}) {
    add_pair(std::string("rows-") + rows, {{"train-rows", rows}, {"epochs", epochs}}, variants);
  }
  return variants;
}

}  // namespace

std::vector<std::string> ablation_parts() {
  return {"ablation", "gate", "opponents", "budgets", "layers", "heads", "rows"};
}

std::vector<Variant> ablation(const std::string& part, const TransformerConfig& base) {
  if (part == "ablation") return parts_of_the_method();
  if (part == "gate") return gates();
  if (part == "opponents") return opponents(base);
  if (part == "budgets") return one_model_many_budgets();
  const std::string width = std::to_string(head_width(base.dim, base.heads, base.width));
  if (part == "layers") return over("layers", {"2", "4", "6", "12"});
  if (part == "heads") return over("heads", {"4", "8", "12", "16"}, {{"head-width", width}});
  require(part == "rows", "ablation: no part is called \"", part, '"');
  return over_rows();
}

}  // namespace bf
