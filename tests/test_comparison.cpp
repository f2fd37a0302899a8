#include "experiments/comparison.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "experiments/training_run.h"
#include "tests/small_run.h"
#include "tests/temp_folder.h"

using namespace bf;

namespace {

ComparedModel made(const std::string& attention, std::uint64_t seed, double accuracy) {
  ComparedModel model;
  model.dataset = "set";
  model.attention = attention;
  model.seed = seed;
  model.heads = 8;
  model.seconds_per_1000 = attention == "mha" ? 2 : 1;
  model.training.seconds = 10;
  model.test.examples = 10;
  model.test.scores.accuracy = accuracy;
  model.test.dense_flops = 4e7;
  model.test.paper_flops = attention == "mha" ? 4e7 : 3.6e7;
  model.test.executed.linear = attention == "mha" ? 40000000 : 10000000;
  if (attention != "mha") {
    model.test.layers.resize(1);
    model.test.layers[0].budget_mean = 0.25;
    model.test.layers[0].heads_mean = 2;
  }
  return model;
}

}  // namespace

TEST_CASE("comparison: both models see the same rows and each is kept in its folder") {
  const TempFolder temporary;
  std::ostringstream shown;
  Progress progress(shown, false);
  RunOptions run = small_run();
  run.out = temporary.path("out");
  const TokenizedData data = load_tokenized(run.data, run.tokenizer, progress);
  const auto models = compare_models(data, run, 4, {"mha", "budget"}, {}, progress);
  REQUIRE(models.size() == 2);
  CHECK(models[0].test.layers.empty());
  CHECK(models[1].test.layers.size() == 2);
  CHECK(models[0].seconds_per_1000 > 0);
  CHECK(models[0].paper_cut() == 0);
  CHECK(models[0].training.steps == models[1].training.steps);
  CHECK(models[1].parameters > models[0].parameters);
  for (const char* attention : {"mha", "budget"}) {
    const std::string folder = comparison_folder(run.out, "synthetic", attention, 4);
    CHECK(std::filesystem::exists(folder + "/summary.json"));
  }
  CHECK(comparison_folder("", "synthetic", "mha", 4).empty());
}

TEST_CASE("comparison: the table relates every model to the first") {
  const std::string text = comparison_text({made("mha", 1, 0.9), made("budget", 1, 0.91)});
  CHECK(text.find("MHA             0.9000") != std::string::npos);
  CHECK(text.find("2.00 of 8") != std::string::npos);
  CHECK(text.find("25.0 %") != std::string::npos);  // executed FLOPs
  CHECK(text.find("10.0 %") != std::string::npos);  // what the paper would count as saved
  CHECK(text.find("On set, BudgetFormer reaches a test accuracy of 0.9100 against 0.9000 of MHA "
                  "while it runs 2.00 of 8 heads on average: 25.0 % of the FLOPs and 50.0 % of the "
                  "time.\n") != std::string::npos);
}

TEST_CASE("comparison: several seeds become means with a standard deviation") {
  const std::string text = comparison_text(
      {made("mha", 1, 0.8), made("budget", 1, 0.7), made("mha", 2, 0.9), made("budget", 2, 0.9)});
  CHECK(text.find("0.8500 +- 0.0707") != std::string::npos);
  CHECK(text.find("0.8000 +- 0.1414") != std::string::npos);
}

TEST_CASE("comparison: the JSON has one object per model") {
  const nlohmann::json json = comparison_json({made("mha", 1, 0.9), made("budget", 1, 0.91)});
  REQUIRE(json.size() == 2);
  CHECK(json[0]["heads_mean"] == 8);
  CHECK(json[1]["test"]["accuracy"] == 0.91);
  CHECK(json[1]["paper_cut"] == doctest::Approx(0.1));
}
