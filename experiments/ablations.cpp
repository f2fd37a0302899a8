#include "experiments/ablations.h"

#include "tensor/require.h"

namespace bf {
namespace {

const Variant mha{.name = "mha", .settings = {{"attention", "mha"}}};
const Variant learned{.name = "budget", .settings = {{"attention", "budget"}}};

/// BudgetFormer with some options changed.
Variant changed(const std::string& name, Settings changes) {
  return {.name = name, .settings = merged(learned.settings, changes)};
}

std::vector<Variant> parts_of_the_method() {
  return {mha,
          learned,
          changed("relaxed", {{"estimator", "relaxed"}}),
          changed("paper-estimator", {{"estimator", "paper"}}),
          changed("relevance-weights", {{"weighting", "relevance"}}),
          changed("no-noise", {{"noise", "0"}}),
          changed("no-annealing", {{"tau-end", "1"}}),
          changed("no-entropy", {{"entropy", "0"}}),
          changed("no-price", {{"head-price", "0"}}),
          changed("no-dense-start", {{"dense", "0"}}),
          changed("pool-mean", {{"controller-pool", "mean"}}),
          changed("pool-max", {{"controller-pool", "max"}})};
}

std::vector<Variant> fixed_budgets() {
  std::vector<Variant> variants{mha, learned};
  for (const char* budget : {"0.125", "0.25", "0.5", "1"}) {
    variants.push_back({.name = std::string("fixed-") + budget,
                        .settings = {{"attention", "fixed"}, {"fixed-budget", budget}}});
    variants.push_back(
        {.name = std::string("budget-") + budget, .model_of = "budget", .budget = budget});
  }
  return variants;
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

/// Both models at each value of one option.
std::vector<Variant> over(const std::string& name, const std::string& option,
                          const std::vector<std::string>& values, const Settings& also = {}) {
  std::vector<Variant> variants;
  for (const Variant& model : {mha, learned}) {
    for (const std::string& value : values) {
      variants.push_back({.name = join_parts(model.name, '-', name, '-', value),
                          .settings = merged(merged(model.settings, also), {{option, value}})});
    }
  }
  return variants;
}

/// Both models on samples of the training rows, for more epochs where they are few.
std::vector<Variant> over_rows() {
  std::vector<Variant> variants;
  for (const Variant& model : {mha, learned}) {
    for (const auto& [rows, epochs] : {std::pair{"500", "60"}, {"5000", "10"}, {"50000", "3"}}) {
      variants.push_back(
          {.name = join_parts(model.name, "-rows-", rows),
           .settings = merged(model.settings, {{"train-rows", rows}, {"epochs", epochs}})});
    }
  }
  return variants;
}

}  // namespace

std::vector<std::string> ablation_parts() {
  return {"ablation", "fixed", "gate", "opponents", "budgets", "layers", "heads", "rows"};
}

std::vector<Variant> ablation(const std::string& part, const TransformerConfig& base) {
  if (part == "ablation") return parts_of_the_method();
  if (part == "fixed") return fixed_budgets();
  if (part == "gate") return gates();
  if (part == "opponents") return opponents(base);
  if (part == "budgets") return one_model_many_budgets();
  const std::string width = std::to_string(head_width(base.dim, base.heads, base.width));
  if (part == "layers") return over("layers", "layers", {"2", "4", "6", "12"});
  if (part == "heads")
    return over("heads", "heads", {"4", "8", "12", "16"}, {{"head-width", width}});
  require(part == "rows", "ablation: no part is called \"", part, '"');
  return over_rows();
}

}  // namespace bf
