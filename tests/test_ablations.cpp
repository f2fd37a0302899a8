#include "experiments/ablations.h"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>

using namespace bf;

namespace {

const Variant& named(const std::vector<Variant>& variants, const std::string& name) {
  for (const Variant& variant : variants) {
    if (variant.name == name) return variant;
  }
  throw std::out_of_range(name);
}

}  // namespace

TEST_CASE("ablations: every variant has its reference, and no name stands twice") {
  for (const std::string& part : ablation_parts()) {
    const std::vector<Variant> variants = ablation(part, {});
    std::set<std::string> names;
    for (const Variant& variant : variants) {
      CHECK(names.insert(variant.name).second);
      CHECK_NOTHROW(named(variants, variant.reference));
      const std::string& other = variant.model_of.empty() ? variant.pruned_from : variant.model_of;
      if (!other.empty()) CHECK_NOTHROW(named(variants, other));
      CHECK(variant.settings.empty() == !variant.model_of.empty());
    }
  }
  CHECK_THROWS_WITH_AS(ablation("colour", {}), "ablation: no part is called \"colour\"",
                       std::invalid_argument);
}

TEST_CASE("ablations: the paper's recipe has nothing of ours, and is run with one head and all") {
  const auto variants = ablation("ablation", {});
  const Settings ours = {
      {"head-price", "0"}, {"dense", "0"}, {"budget-noise", "0"}, {"logit-penalty", "0"}};
  const Settings& settings = named(variants, "paper-recipe").settings;
  CHECK(merged(settings, ours) == settings);
  CHECK(named(variants, "paper-recipe-0.125").model_of == "paper-recipe");
  CHECK(named(variants, "paper-recipe-1").budget == "1");
}

TEST_CASE("ablations: opponents with fewer heads keep the width of a head") {
  TransformerConfig base;
  base.dim = 96;
  base.heads = 8;
  const auto variants = ablation("opponents", base);
  const Settings two = {{"attention", "mha"}, {"heads", "2"}, {"head-width", "12"}};
  CHECK(named(variants, "mha-2").settings == two);
  CHECK(named(variants, "pruned-2").settings == merged(two, {{"epochs", "1"}}));
  CHECK(named(variants, "pruned-2").pruned_from == "mha");
}

TEST_CASE("ablations: a budget of training stands beside the same one put on the learned model") {
  const auto variants = ablation("opponents", {});
  const Settings quarter = {{"attention", "fixed"}, {"fixed-budget", "0.25"}};
  CHECK(named(variants, "fixed-0.25").settings == quarter);
  CHECK(named(variants, "budget-0.25").model_of == "budget");
  CHECK(named(variants, "budget-0.25").budget == "0.25");
}

TEST_CASE("ablations: budgets by hand go from one eighth to all heads, on both models") {
  const auto variants = ablation("budgets", {});
  CHECK(variants.size() == 3 + 2 * 8);
  CHECK(named(variants, "jitter-budget-0.125").model_of == "jitter");
  CHECK(named(variants, "budget-1").budget == "1");
}

TEST_CASE("ablations: scaling varies one option for both models") {
  const auto variants = ablation("layers", {});
  CHECK(variants.size() == 8);
  const Settings deep = {{"attention", "budget"}, {"layers", "12"}};
  CHECK(named(variants, "budget-layers-12").settings == deep);
  CHECK(named(variants, "budget-layers-12").reference == "mha-layers-12");
}
