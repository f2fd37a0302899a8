#include "experiments/run_identity.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/values.h"

using namespace bf;
using nlohmann::json;

namespace {

json config() {
  return {{"options", {{"threads", "2"}}},
          {"data", {{"hash", "00ff"}, {"difficulty", "easy"}, {"train-rows", 0}, {"encoding", ""}}},
          {"tokenizer", {{"name", "word"}, {"max_length", 64}}},
          {"model",
           {{"attention", "budget"},
            {"transformer", {{"dim", 32}}},
            {"budget", {{"head_price", 0.6}, {"fixed_budget", 0.125}, {"pool", "mean"}}}}},
          {"training", {{"learning_rate", 0.001}, {"seed", 1}}},
          {"environment", {{"simd", "AVX2"}, {"threads", 2}}}};
}

std::string refusal(const json& before, const json& now) {
  return error_text<std::runtime_error>([&] { require_same_run("runs/a", before, now); });
}

std::string begun_with(const std::string& difference) {
  return "runs/a: was begun with " + difference +
         "; give it the same options, or choose another folder";
}

}  // namespace

TEST_CASE("run_identity: what does not change results may differ") {
  json other = config();
  other["options"]["threads"] = "1";
  other["environment"]["simd"] = "AVX3";
  other["data"]["train-rows"] = 500;  // of a set that has so many: the same rows
  other["model"]["budget"]["fixed_budget"] = 0.5;
  other["training"]["on_nonfinite"] = "skip";
  CHECK(refusal(config(), other) == "");
  CHECK(identity_text(config()) == identity_text(other));
  json plain = config(), priced = config();
  plain["model"]["attention"] = priced["model"]["attention"] = "mha";
  priced["model"]["budget"]["head_price"] = 2;
  CHECK(refusal(plain, priced) == "");
}

TEST_CASE("run_identity: the first option that differs is named with both values") {
  const auto changed = [](const char* pointer, const json& value) {
    json other = config();
    other[json::json_pointer(pointer)] = value;
    CHECK(identity_text(other) != identity_text(config()));
    return refusal(config(), other);
  };
  CHECK(changed("/model/transformer/dim", 16) == begun_with("--dim 32, not 16"));
  CHECK(changed("/model/attention", "random") == begun_with("--attention budget, not random"));
  CHECK(changed("/model/budget/head_price", 0.5) == begun_with("--head-price 0.6, not 0.5"));
  CHECK(changed("/model/budget/pool", "max") == begun_with("--controller-pool mean, not max"));
  CHECK(changed("/training/learning_rate", 0.1) == begun_with("--lr 0.001, not 0.1"));
  CHECK(changed("/training/seed", 2) == begun_with("--seed 1, not 2"));
  CHECK(changed("/tokenizer/max_length", 32) == begun_with("--max-len 64, not 32"));
  CHECK(changed("/start_weights", "0a0a") == begun_with("--prune-from nothing, not 0a0a"));
  json fixed = config(), other = config();
  fixed["model"]["attention"] = other["model"]["attention"] = "fixed";
  other["model"]["budget"]["fixed_budget"] = 0.5;
  CHECK(refusal(fixed, other) == begun_with("--fixed-budget 0.125, not 0.5"));
}

TEST_CASE("run_identity: other rows are refused, with the option that made them if there is one") {
  json other = config();
  other["data"]["hash"] = "00fe";
  CHECK(identity_text(other) != identity_text(config()));
  CHECK(refusal(config(), other) ==
        "runs/a: was begun with other rows (data hash 00ff, not 00fe); give it the same data, or "
        "choose another folder");
  other["data"]["encoding"] = "utf-8";
  CHECK(refusal(config(), other) == begun_with("--encoding \"\", not utf-8"));
  other["data"]["difficulty"] = "hard";
  CHECK(refusal(config(), other) == begun_with("--difficulty easy, not hard"));
  other.erase("data");
  CHECK(refusal(other, config()) ==
        "runs/a: its config.json does not say which rows it saw; choose another folder");
}

TEST_CASE("run_identity: a part of another type, and a long value, are named in one short line") {
  json other = config();
  other["model"]["budget"] = 7;
  CHECK(refusal(other, config()) == begun_with("--budget 7, not nothing"));
  other = config();
  other["model"] = "x";
  CHECK(refusal(other, config()) == begun_with("--model x, not nothing"));
  other = config();
  other["model"]["attention"] = std::string(100'000, 'a');
  CHECK(refusal(other, config()) ==
        begun_with("--attention " + std::string(60, 'a') + "..., not budget"));
  other = config();
  other["model"][std::string(100'000, 'a')] = 1;
  CHECK(refusal(other, config()).size() < 300);
}

TEST_CASE("run_identity: another machine is noted") {
  json other = config();
  CHECK(environment_changes(config(), other).empty());
  other["environment"]["simd"] = "AVX3";
  other["environment"]["threads"] = 1;
  CHECK(environment_changes(config(), other) ==
        std::vector<std::string>{
            "was begun with simd AVX2 and goes on with AVX3: the last bits may differ"});
}
