#include "train/alarms.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "tests/small_task.h"

using namespace bf;

namespace {

using Lines = std::vector<std::string>;

/// An evaluation of 10 texts, 6 of them of one class, with two layers that are well.
Evaluation healthy() {
  Evaluation evaluation;
  evaluation.examples = 10;
  evaluation.scores.accuracy = 0.8;
  evaluation.text_summary.by_class.resize(2);
  evaluation.text_summary.by_class[0].examples = 4;
  evaluation.text_summary.by_class[1].examples = 6;
  LayerReport layer;
  layer.budget_mean = 0.4;
  layer.budget_deviation = 0.1;
  layer.head_usage = {1, 0.2, 0.1};
  evaluation.layers = {layer, layer};
  return evaluation;
}

}  // namespace

TEST_CASE("alarms: none when all is well") { CHECK(alarms(healthy()).empty()); }

TEST_CASE("alarms: a controller is dead when s does not move and no hidden unit has slope") {
  Evaluation evaluation = healthy();
  evaluation.layers[1].budget_deviation = 1e-5;
  CHECK(alarms(evaluation).empty());
  evaluation.layers[1].hidden_off = 1;
  CHECK(
      alarms(evaluation) ==
      Lines{
          "layer 2: the controller is dead: no hidden unit has slope, s is 0.400 for every text"});
  evaluation.layers[1].budget_deviation = 1e-3;
  CHECK(alarms(evaluation).empty());
}

TEST_CASE("alarms: saturated controllers, heads that no text runs, accuracy of the largest class") {
  Evaluation evaluation = healthy();
  evaluation.layers[0].saturated = 0.5;
  CHECK(alarms(evaluation).empty());
  evaluation.layers[0].saturated = 0.625;
  evaluation.layers[1].head_usage = {0, 1, 0};
  evaluation.scores.accuracy = 0.6;
  CHECK(alarms(evaluation) == Lines{"layer 1: the controller is saturated for 62.5 % of the texts",
                                    "layer 2: no text runs heads 1, 3",
                                    "accuracy 0.6000 is the share of the largest class"});
  evaluation.layers[1].head_usage = {0, 1, 1};
  CHECK(alarms(evaluation)[1] == "layer 2: no text runs head 1");
}

namespace {

/// What is said of predictions, given as (right class, answer, number of texts).
Lines alarms_of(const std::vector<std::array<Id, 3>>& cells) {
  std::vector<Id> labels, answers;
  for (const auto& [label, answer, count] : cells) {
    labels.insert(labels.end(), static_cast<Index>(count), label);
    answers.insert(answers.end(), static_cast<Index>(count), answer);
  }
  Evaluation evaluation;
  evaluation.examples = labels.size();
  evaluation.scores = score(answers, labels, 3);
  evaluation.text_summary.by_class.resize(3);
  for (Index i = 0; i < labels.size(); ++i) {
    GroupSummary& group = evaluation.text_summary.by_class[static_cast<Index>(labels[i])];
    ++group.examples;
    group.accuracy += labels[i] == answers[i] ? 1 : 0;
  }
  for (GroupSummary& group : evaluation.text_summary.by_class) {
    if (group.examples > 0) group.accuracy /= static_cast<double>(group.examples);
  }
  return alarms(evaluation);
}

}  // namespace

TEST_CASE("alarms: nearly all texts taken for one class") {
  // 990 of 1,000; the class has 40 % or, not being the largest, 25 %.
  CHECK(alarms_of({{0, 0, 398}, {0, 1, 2}, {1, 0, 292}, {1, 1, 8}, {2, 0, 300}}) ==
        Lines{"99.0 % of the texts are taken for one class, which has 40.0 % of them"});
  CHECK(alarms_of({{0, 1, 400}, {1, 1, 250}, {2, 1, 342}, {2, 2, 8}}) ==
        Lines{"99.2 % of the texts are taken for one class, which has 25.0 % of them"});
  CHECK(alarms_of({{0, 0, 396}, {0, 1, 4}, {1, 0, 292}, {1, 1, 8}, {2, 0, 300}}).empty());
  // All of them, as before.
  CHECK(alarms_of({{0, 0, 400}, {1, 0, 300}, {2, 0, 300}}) ==
        Lines{"accuracy 0.4000 is the share of the largest class"});
  // A class of nearly all texts: a model that finds some of the others is no case for an alarm.
  CHECK(alarms_of({{0, 0, 992}, {1, 1, 4}, {2, 0, 4}}).empty());
  CHECK(alarms_of({{0, 0, 992}, {1, 1, 8}}).empty());
}

TEST_CASE("alarms: an evaluation finds the hidden units of a dead controller off") {
  const TokenizedSplit split = small_split(30, 3);
  Model model = make_model(small_model("budget"));
  CHECK(evaluate(model, split).layers[0].hidden_off < 1);
  for (const NamedParameter& p : model.net->named_parameters()) {
    if (p.name == "layers.0.attention.controller.hidden.bias")
      p.variable->mutable_value().fill(-90);
  }
  const Evaluation result = evaluate(model, split);
  CHECK(result.layers[0].hidden_off == 1);
  CHECK(result.layers[1].hidden_off < 1);
  CHECK(alarms(result)[0] ==
        "layer 1: the controller is dead: no hidden unit has slope, s is 0.731 for every text");
}

TEST_CASE("alarms: an evaluation finds a controller saturated whose logits are far from 0") {
  const TokenizedSplit split = small_split(30, 3);
  for (const Real bias : {Real(7), Real(-7)}) {
    Model model = make_model(small_model("budget"));
    CHECK(evaluate(model, split).layers[1].saturated == 0);
    for (const NamedParameter& p : model.net->named_parameters()) {
      if (p.name == "layers.1.attention.controller.output.bias")
        p.variable->mutable_value().fill(bias);
    }
    const Evaluation result = evaluate(model, split);
    CHECK(result.layers[0].saturated == 0);
    CHECK(result.layers[1].saturated == 1);
    const Lines lines = alarms(result);
    CHECK(std::count(lines.begin(), lines.end(),
                     "layer 2: the controller is saturated for 100.0 % of the texts") == 1);
  }
}

TEST_CASE("alarms: multi-head attention has no layers to complain about") {
  Model model = make_model(small_model("mha"));
  for (const std::string& line : alarms(evaluate(model, small_split(30, 3)))) {
    CHECK(line.find("layer") == line.npos);
  }
}

TEST_CASE("alarms: an epoch tells of skipped updates, spikes and parameters without gradient") {
  EpochReport epoch;
  epoch.validation = healthy();
  CHECK(alarms(epoch).empty());
  epoch.skipped = 1;
  epoch.loss_spikes = 1, epoch.first_spike = 120;
  epoch.without_gradient = {"a.weight", "b"};
  CHECK(alarms(epoch) == Lines{"1 update was skipped: loss or gradient was not finite",
                               "the loss spiked 1 time, first at step 120",
                               "parameter \"a.weight\" got no gradient",
                               "parameter \"b\" got no gradient"});
  epoch.skipped = 2, epoch.loss_spikes = 3;
  epoch.in_force = false;  // all heads run: controller and gate see nothing
  epoch.validation.layers[0].saturated = 0.75;
  CHECK(alarms(epoch) == Lines{"layer 1: the controller is saturated for 75.0 % of the texts",
                               "2 updates were skipped: loss or gradient was not finite",
                               "the loss spiked 3 times, first at step 120"});
}

TEST_CASE("alarms: only those that an epoch ago were not there or other are news") {
  EpochReport epoch;
  epoch.validation = healthy();
  epoch.validation.layers[0].head_usage = {0, 1, 0};
  const Lines before = alarms(epoch);
  CHECK(before == Lines{"layer 1: no text runs heads 1, 3"});
  CHECK(new_alarms(before, {}) == before);
  CHECK(new_alarms(before, before).empty());
  epoch.validation.layers[0].head_usage = {0, 1, 1};
  epoch.skipped = 1;
  const Lines now = alarms(epoch);
  CHECK(now.size() == 2);
  CHECK(new_alarms(now, before) == now);
  CHECK(new_alarms(now, {now[0]}) == Lines{now[1]});
}
