#include "experiments/comparison.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace bf;
using nlohmann::json;

namespace {

json made(const std::string& variant, int seed, double accuracy) {
  const bool dense = variant == "mha";
  json result = {{"dataset", "set"},
                 {"variant", variant},
                 {"reference", "mha"},
                 {"seed", seed},
                 {"heads", 8},
                 {"seconds_per_1000_texts", dense ? 2 : 1},
                 {"training", {{"train_seconds", 10}}},
                 {"test",
                  {{"accuracy", accuracy},
                   {"macro_f1", 0.5},
                   {"s_mean", dense ? 1 : 0.25},
                   {"executed_flops_per_text", dense ? 4e6 : 1e6},
                   {"dense_flops_per_text", 4e6},
                   {"paper_flops_per_text", dense ? 4e6 : 3.6e6},
                   {"peak_tensor_bytes", 1000000},
                   {"layers", json::array()}}}};
  if (!dense) result["test"]["layers"] = {{{"heads_mean", 1}}, {{"heads_mean", 3}}};
  return result;
}

}  // namespace

TEST_CASE("comparison: the table relates every variant to the first") {
  const std::string text = comparison_text({made("mha", 1, 0.9), made("budget", 1, 0.91)});
  CHECK(text.find("MHA             0.9000") != std::string::npos);
  CHECK(text.find("2.00 of 8") != std::string::npos);
  CHECK(text.find("25.0 %") != std::string::npos);  // executed FLOPs
  CHECK(text.find("10.0 %") != std::string::npos);  // what the paper would count as saved
  CHECK(text.find("On set, BudgetFormer reaches a test accuracy of 0.9100 against 0.9000 of MHA "
                  "while it runs 2.00 of 8 heads on average: 25.0 % of the FLOPs, which allow a "
                  "speed-up of 4.00, and 50.0 % of the time, a speed-up of 2.00.\n") !=
        std::string::npos);
}

TEST_CASE("comparison: several seeds become means with a standard deviation") {
  const std::string text = comparison_text(
      {made("mha", 1, 0.8), made("budget", 1, 0.7), made("mha", 2, 0.9), made("budget", 2, 0.9)});
  CHECK(text.find("0.8500 +- 0.0707") != std::string::npos);
  CHECK(text.find("0.8000 +- 0.1414") != std::string::npos);
}

TEST_CASE("comparison: results are one line each") {
  const std::string lines = json_lines({made("mha", 1, 0.9), made("budget", 1, 0.91)});
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 2);
  CHECK(json::parse(lines.substr(0, lines.find('\n')))["variant"] == "mha");
}

TEST_CASE("comparison: a variant may have a reference of its own") {
  json small = made("mha", 1, 0.5), large = made("mha", 1, 0.6), other = made("budget", 1, 0.7);
  small["variant"] = small["reference"] = "mha-small";
  large["variant"] = large["reference"] = "mha-large";
  large["seconds_per_1000_texts"] = 4;
  other["reference"] = "mha-large";
  const std::string text = comparison_text({small, large, other});
  CHECK(text.find("0.7000 against 0.6000 of mha-large") != std::string::npos);
  CHECK(text.find("25.0 % of the time, a speed-up of 4.00") != std::string::npos);
  CHECK(text.find("of mha-small") == std::string::npos);
}
