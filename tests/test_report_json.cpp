#include "train/report_json.h"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tensor/gemm.h"
#include "tensor/kernels.h"
#include "tensor/openblas.h"
#include "tests/small_task.h"

using namespace bf;

TEST_CASE("report_json: a run holds every epoch, without its layers") {
  const TokenizedSplit split = small_split(40, 5);
  Model model = make_model(small_model("budget"));
  const TrainingResult result = fit(model, split, split, small_training(2));
  const nlohmann::json json = nlohmann::json::parse(to_json(result).dump());
  CHECK(json["steps"] == 10);
  REQUIRE(json["epochs"].size() == 2);
  CHECK(json["energy"]["joules"].get<double>() > 0);
  CHECK(json["energy"]["joules"].get<double>() ==
        doctest::Approx(json["epochs"][0]["energy"]["joules"].get<double>() +
                        json["epochs"][1]["energy"]["joules"].get<double>()));
  CHECK(json["epochs"][1]["validation"]["layers"].empty());
  CHECK(json["epochs"][1]["validation"]["accuracy"].is_number());
  CHECK(json["epochs"][0]["policy_in_force"].is_boolean());
  CHECK(json["epochs"][0]["alarms"].is_array());
}

TEST_CASE("report_json: FLOPs are per text") {
  const TokenizedSplit split = small_split(40, 5);
  Model model = make_model(small_model("mha"));
  const Evaluation evaluation = evaluate(model, split);
  const nlohmann::json json = to_json(evaluation);
  CHECK(json["dense_flops_per_text"] == doctest::Approx(evaluation.dense_flops / 40));
  CHECK(json["executed_flops_per_text"] == json["dense_flops_per_text"]);
  CHECK(json["layers"].empty());
  CHECK(json["energy"]["joules"] == evaluation.energy.joules);
  CHECK(json["energy"]["gco2"].get<double>() >= 0);
  CHECK(json["energy"]["source"].get<std::string>() != "");
}

TEST_CASE("report_json: a step of a model with budgets says where the schedules stand") {
  StepReport step;
  CHECK_FALSE(to_json(step).contains("tau"));
  step.policy = PolicyState{
      .dense = true, .temperature = 0.5, .noise = 0.25, .price = 0.125, .entropy = -0.01};
  const nlohmann::json json = to_json(step);
  CHECK(json["tau"] == 0.5);
  CHECK(json["noise"] == 0.25);
  CHECK(json["price"] == 0.125);
  CHECK(json["entropy_weight"] == -0.01);
  CHECK(json["dense"] == true);
}

TEST_CASE("report_json: steps, settings and the environment") {
  StepReport step;
  step.loss = 0.5;
  CHECK(to_json(step)["loss"] == 0.5);
  CHECK(to_json(small_training(4))["epochs"] == 4);
  const nlohmann::json environment = environment_json();
  CHECK(environment["simd"] == simd_target_name());
  CHECK(environment["gemm_kernel"] == gemm_kernel_name());
  CHECK(environment["openblas"] == openblas_name());
  CHECK(environment["threads"] == threads());
}

TEST_CASE("report_json: a skipped step says why, with null for its loss; a spike has its level") {
  StepReport step;
  CHECK_FALSE(to_json(step).contains("skipped"));
  CHECK_FALSE(to_json(step).contains("spike_above"));
  step.skipped = "the loss is nan";
  step.loss = std::numeric_limits<double>::quiet_NaN();
  step.spike = 0.5;
  const nlohmann::json json = nlohmann::json::parse(to_json(step).dump());
  CHECK(json["skipped"] == "the loss is nan");
  CHECK(json["loss"].is_null());
  CHECK(json["spike_above"] == 0.5);
}

TEST_CASE("report_json: epoch and run count what was skipped, spikes and idle parameters") {
  EpochReport epoch;
  epoch.skipped = 2, epoch.loss_spikes = 3, epoch.first_spike = 7;
  epoch.without_gradient = {"a"};
  epoch.alarms = {"layer 1: no text runs head 2"};
  const nlohmann::json json = to_json(epoch);
  CHECK(json["skipped"] == 2);
  CHECK(json["loss_spikes"] == 3);
  CHECK(json["first_spike"] == 7);
  CHECK(json["without_gradient"] == nlohmann::json{"a"});
  CHECK(json["alarms"] == nlohmann::json{"layer 1: no text runs head 2"});
  TrainingResult result;
  result.skipped = 5;
  CHECK(to_json(result)["skipped"] == 5);
  CHECK(to_json(small_training(1))["on_nonfinite"] == "stop");
}
