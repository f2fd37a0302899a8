#include "train/model_builder.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "nn/safetensors.h"
#include "tests/small_task.h"
#include "tests/values.h"

using namespace bf;

TEST_CASE("model_builder: each attention makes its model with its policy") {
  CHECK(make_model(small_model("mha")).budget == nullptr);
  CHECK(make_model(small_model("budget")).budget->budget_config().policy == Policy::learned);
  CHECK(make_model(small_model("fixed")).budget->budget_config().policy == Policy::fixed_budget);
  CHECK(make_model(small_model("random")).budget->budget_config().policy == Policy::random_gate);
}

TEST_CASE("model_builder: a configuration comes back from its JSON whole") {
  ModelConfig config = small_model("fixed", 77);
  config.transformer.dropout = 0.25;
  config.transformer.positions = "sinusoidal";
  config.budget.fixed_budget = 0.5;
  config.budget.sparse_after = 0.75;
  config.budget.jitter = 0.25;
  config.budget.pool = Pool::max;
  config.budget.weighting = Weighting::relevance;
  config.budget.estimator = Estimator::relaxed;
  const nlohmann::json json = to_json(config);
  const ModelConfig back = model_config_from_json(nlohmann::json::parse(json.dump()));
  CHECK(to_json(back) == json);
  CHECK(back.budget.policy == Policy::fixed_budget);
  CHECK(back.budget.sparse_after == 0.75);
  CHECK(back.budget.jitter == 0.25);
  CHECK(back.transformer.heads == 4);
  Model one = make_model(config), two = make_model(back);
  CHECK(weights_of(one) == weights_of(two));
}

TEST_CASE("model_builder: every model fits into a file of its own parameters, and into none half") {
  for (const std::string& attention : attention_names()) {
    for (const Index dim : {Index(28), Index(128)}) {
      for (const Pool pool : {Pool::mean, Pool::meanmax}) {
        ModelConfig config = small_model(attention);
        config.transformer.dim = dim;
        config.budget.pool = pool;
        const Index parameters = make_model(config).net->parameter_count();
        CHECK_NOTHROW(require_model_fits(config, parameters, "file"));
        CHECK_THROWS_AS(require_model_fits(config, parameters / 2, "file"), std::runtime_error);
      }
    }
  }
}

TEST_CASE("model_builder: a model for texts without end is refused") {
  for (const char* positions : {"learned", "sinusoidal"}) {
    ModelConfig config = small_model("mha");
    config.transformer.positions = positions;
    config.transformer.max_length = 65536;
    CHECK_NOTHROW(require_model_fits(config, 1 << 30, "file"));
    config.transformer.max_length = 65537;
    CHECK_THROWS_WITH_AS(require_model_fits(config, 1 << 30, "file"),
                         "file: max_length 65537 exceeds 65536", std::runtime_error);
  }
  ModelConfig wide = small_model("mha");
  wide.transformer.positions = "sinusoidal";
  wide.transformer.max_length = 65536, wide.transformer.dim = 1024;
  CHECK_NOTHROW(require_model_fits(wide, 1 << 30, "file"));
  wide.transformer.dim = 1032;
  CHECK_THROWS_WITH_AS(require_model_fits(wide, 1 << 30, "file"),
                       "file: max_length 65536 x dim 1032 exceeds 6.71089e+07", std::runtime_error);
}

TEST_CASE("model_builder: a broken configuration names the field") {
  nlohmann::json json = to_json(small_model("mha"));
  json["transformer"].erase("dim");
  CHECK_THROWS_WITH_AS(model_config_from_json(json), "model configuration: \"dim\" is missing",
                       std::runtime_error);
  json["transformer"]["dim"] = "wide";
  CHECK_THROWS_WITH_AS(model_config_from_json(json),
                       "model configuration: \"dim\" has the wrong type: \"wide\"",
                       std::runtime_error);
  json = to_json(small_model("mha"));
  json["budget"].erase("sparse_after");
  CHECK_THROWS_WITH_AS(model_config_from_json(json),
                       "model configuration: \"sparse_after\" is missing", std::runtime_error);
  CHECK_THROWS_WITH_AS(model_config_from_json(nlohmann::json::array()),
                       "model configuration: \"attention\" is missing", std::runtime_error);
}

TEST_CASE("model_builder: an unknown attention is an error") {
  CHECK_THROWS_WITH_AS(make_model(small_model("flash")),
                       "model: attention must be mha, budget, fixed or random, got \"flash\"",
                       std::invalid_argument);
}

TEST_CASE("model_builder: weights of 8 heads are refused by a model of 12, naming the first") {
  const auto with_heads = [](const std::string& attention, Index heads, Index width) {
    ModelConfig config = small_model(attention);
    config.transformer.dim = 24, config.transformer.heads = heads, config.transformer.width = width;
    return make_model(config);
  };
  const auto fault = [](Model from, Model to) {
    NamedTensors tensors;
    for (const NamedParameter& p : from.net->named_parameters()) {
      tensors.emplace_back(p.name, p.variable->value());
    }
    const std::vector<Real> before = weights_of(to);
    const std::string text = error_text<std::runtime_error>([&] {
      load_parameters(*to.net, {tensors, {}}, "run8");
    });
    CHECK(weights_of(to) == before);
    return text;
  };
  CHECK(fault(with_heads("mha", 8, 3), with_heads("mha", 12, 3)) ==
        "load: checkpoint \"run8\" has \"layers.0.attention.qkv.weight\" [72, 24], the model "
        "expects [108, 24]");
  // With D / H columns each, the projections of both have one shape; the gate tells them apart.
  CHECK(fault(with_heads("budget", 8, 0), with_heads("budget", 12, 0)) ==
        "load: checkpoint \"run8\" has \"layers.0.attention.gate.score.weight\" [8, 48], the "
        "model expects [12, 48]");
}
