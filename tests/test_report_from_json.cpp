#include "train/report_from_json.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/small_task.h"
#include "tests/values.h"
#include "train/report_json.h"

using namespace bf;
using nlohmann::json;

TEST_CASE("report_from_json: the reports of a run come back and stand as they stood") {
  for (const char* attention : {"mha", "budget"}) {
    CAPTURE(attention);
    const TokenizedSplit split = small_split(64, 5);
    Model model = make_model(small_model(attention));
    const TrainingResult result = fit(model, split, split, small_training(2));
    const json written = json::parse(to_json(result).dump());
    const TrainingResult read = training_result_from_json(written);
    CHECK(to_json(read) == written);
    CHECK(read.best_epoch == result.best_epoch);
    CHECK(read.steps == 16);
    CHECK(read.seconds == result.seconds);
    REQUIRE(read.epochs.size() == 2);
    const Evaluation &a = read.epochs[1].validation, &b = result.epochs[1].validation;
    CHECK(read.epochs[1].train_loss == result.epochs[1].train_loss);
    CHECK(read.epochs[0].in_force == result.epochs[0].in_force);
    CHECK(a.scores.accuracy == b.scores.accuracy);
    CHECK(a.scores.class_f1 == b.scores.class_f1);
    CHECK(a.executed.linear == b.executed.linear);
    CHECK(a.executed.attention == b.executed.attention);
    CHECK(a.paper_flops == doctest::Approx(b.paper_flops));
    CHECK(a.dense_flops == doctest::Approx(b.dense_flops));
    CHECK(a.budget_mean() == b.budget_mean());
    CHECK(a.heads_mean(4) == b.heads_mean(4));
    CHECK(a.predictions.empty());
  }
}

TEST_CASE("report_from_json: null stands for a number that is not finite") {
  const TokenizedSplit split = small_split(16, 5);
  Model model = make_model(small_model("mha"));
  json written = to_json(evaluate(model, split));
  written["loss"] = nullptr;
  CHECK(std::isnan(evaluation_from_json(written).loss));
  CHECK(to_json(evaluation_from_json(written))["loss"].is_null());
}

TEST_CASE("report_from_json: a field that is missing or of the wrong type is named") {
  const TokenizedSplit split = small_split(16, 5);
  Model model = make_model(small_model("mha"));
  const json right = to_json(evaluate(model, split));
  const auto text = [](const json& from) {
    return error_text<std::runtime_error>([&] { evaluation_from_json(from); });
  };
  json wrong = right;
  wrong.erase("accuracy");
  CHECK(text(wrong) == "report: \"accuracy\": missing or of the wrong type");
  wrong = right;
  wrong["tokens"] = "many";
  CHECK(text(wrong) == "report: \"tokens\": missing or of the wrong type");
  wrong = right;
  wrong["layers"] = 2;
  CHECK(text(wrong) == "report: \"layers\": missing or of the wrong type");
  wrong = right;
  wrong["executed_flops_per_text"] = -1;
  CHECK(text(wrong) == "report: -16 operations");
  wrong = right;
  wrong["executed_attention_core_flops_per_text"] = 1e12;
  CHECK(text(wrong) == "report: more operations in the attention core than in all");
  CHECK(text(json::array()) == "report: \"examples\": missing or of the wrong type");
}

TEST_CASE("report_from_json: counts come back; a run of an earlier version has none") {
  const TokenizedSplit split = small_split(16, 5);
  Model model = make_model(small_model("mha"));
  TrainingResult result = fit(model, split, split, small_training(1));
  result.skipped = 4;
  EpochReport& epoch = result.epochs[0];
  epoch.skipped = 4, epoch.loss_spikes = 2, epoch.first_spike = 9;
  epoch.without_gradient = {"a", "b"};
  epoch.alarms = {"c"};
  epoch.train_loss = std::numeric_limits<double>::quiet_NaN();
  json written = json::parse(to_json(result).dump());
  const TrainingResult read = training_result_from_json(written);
  CHECK(to_json(read).dump() == written.dump());
  CHECK(read.skipped == 4);
  CHECK(read.epochs[0].skipped == 4);
  CHECK(read.epochs[0].loss_spikes == 2);
  CHECK(read.epochs[0].first_spike == 9);
  CHECK(read.epochs[0].without_gradient == std::vector<std::string>{"a", "b"});
  CHECK(read.epochs[0].alarms == std::vector<std::string>{"c"});
  written.erase("skipped");
  for (const char* name : {"skipped", "loss_spikes", "first_spike", "without_gradient", "alarms"}) {
    written["epochs"][0].erase(name);
  }
  const TrainingResult old = training_result_from_json(written);
  CHECK(old.skipped == 0);
  CHECK(old.epochs[0].skipped == 0);
  CHECK(old.epochs[0].without_gradient.empty());
}

TEST_CASE(
    "report_from_json: the summary of a finished run has the classes and heads of the model") {
  const TokenizedSplit split = small_split(16, 5);
  Model model = make_model(small_model("budget"));
  const json training = to_json(fit(model, split, split, small_training(1)));
  const json right = {{"training", training}, {"test", to_json(evaluate(model, split))}};
  const auto text = [](const json& from) {
    return error_text<std::runtime_error>([&] { finished_reports(from, "a/summary.json", 3, 4); });
  };
  CHECK(text(right) == "");
  const FinishedReports read = finished_reports(right, "a/summary.json", 3, 4);
  CHECK(to_json(read.training) == training);
  CHECK(to_json(read.test) == right["test"]);
  const auto changed = [&](const char* pointer, const json& value) {
    json wrong = right;
    wrong[json::json_pointer(pointer)] = value;
    return text(wrong);
  };
  const std::string report = "a/summary.json: report: ";
  CHECK(changed("/test/class_f1", {1}) == report + "\"class_f1\" has 1 values, expected 3");
  CHECK(changed("/test/class_f1", {1, 1, 1, 1}) ==
        report + "\"class_f1\" has 4 values, expected 3");
  CHECK(changed("/test/by_class", json::array()) ==
        report + "\"by_class\" has 0 values, expected 3");
  CHECK(changed("/test/layers/1/head_usage", {1}) ==
        report + "\"head_usage\" has 1 values, expected 4");
  CHECK(changed("/test/layers/1/heads_histogram", {1}) ==
        report + "\"heads_histogram\" has 1 values, expected 5");
  CHECK(changed("/test/s_histogram", {1}) == report + "\"s_histogram\" has 1 values, expected 10");
  CHECK(changed("/test/layers/1/s_histogram", {1}) ==
        report + "\"s_histogram\" has 1 values, expected 10");
  CHECK(changed("/test/loss", "x") == report + "\"loss\": missing or of the wrong type");
  CHECK(changed("/test", 1) == report + "\"test\": missing or of the wrong type");
  CHECK(changed("/training", nullptr) == report + "\"training\": missing or of the wrong type");
}
