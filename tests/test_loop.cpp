#include "train/loop.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "tensor/parallel.h"
#include "tensor/require.h"
#include "tests/small_task.h"
#include "tests/values.h"

using namespace bf;

namespace {

std::vector<Real> weights_after(Index steps, const ModelConfig& model_config,
                                TrainingConfig config) {
  const TokenizedSplit split = small_split(96, 5);
  Model model = make_model(model_config);
  config.epochs = 10;
  Trainer trainer(model, split, config);
  for (Index i = 0; i < steps; ++i) trainer.step();
  return weights_of(model);
}

Tensor& weight(Model& model, const std::string& name) {
  for (const NamedParameter& p : model.net->named_parameters()) {
    if (p.name == name) return p.variable->mutable_value();
  }
  FAIL("no parameter " << name);
  throw std::logic_error(name);
}

std::span<Real> values(Tensor& tensor) { return {tensor.data(), tensor.size()}; }

/// Both moments of all parameters one after another.
std::vector<Real> moments_of(const Trainer& trainer) {
  std::vector<Real> all;
  for (const AdamW::Moments& m : trainer.optimizer().moments()) {
    for (const Tensor& tensor : {m.first, m.second}) {
      const std::vector<Real> part = tensor.to_vector();
      all.insert(all.end(), part.begin(), part.end());
    }
  }
  return all;
}

double largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (Index i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i] - b[i])));
  }
  return largest;
}

}  // namespace

TEST_CASE("loop: equal seeds give equal weights, another seed others") {
  const ModelConfig model = small_model("budget");
  TrainingConfig config = small_training(1);
  const std::vector<Real> first = weights_after(20, model, config);
  CHECK(first == weights_after(20, model, config));
  config.seed = 2;
  CHECK(first != weights_after(20, model, config));
  CHECK(first != weights_after(20, small_model("budget", 2), small_training(1)));
}

TEST_CASE("loop: an update split into passes is the same update") {
  TrainingConfig config = small_training(1);
  config.batch = 4;
  // The first Adam step moves every weight by about the learning rate, whatever the size of its
  // gradient; so gradients are compared through the first moments, m = 0.1 g.
  const TokenizedSplit split = small_split(96, 5);
  for (const std::string attention : {"mha", "budget", "fixed"}) {
    ModelConfig model = small_model(attention);
    model.transformer.dropout = 0;  // each pass draws its own, as it does the policy's noise
    model.budget.noise = 0, model.budget.dense = 0, model.budget.price_ramp = 0;
    for (const Index passes : {Index{2}, Index{3}, Index{4}}) {
      CAPTURE(attention);
      CAPTURE(passes);
      std::vector<std::vector<Real>> moments;
      std::vector<StepReport> reports;
      for (const Index parts : {Index{1}, passes}) {
        config.accumulate = parts;
        Model net = make_model(model);
        Trainer trainer(net, split, config);
        reports.push_back(trainer.step());
        moments.emplace_back();
        for (const AdamW::Moments& m : trainer.optimizer().moments()) {
          const std::vector<Real> values = m.first.to_vector();
          moments.back().insert(moments.back().end(), values.begin(), values.end());
        }
      }
      CHECK(reports[1].examples == 4);
      CHECK(reports[1].policy_loss == doctest::Approx(reports[0].policy_loss).epsilon(1e-5));
      CHECK((reports[0].policy_loss > 0) == (attention == "budget"));
      CHECK(largest_difference(moments[0], moments[1]) < 0.1 * 1e-6);
    }
  }
}

TEST_CASE("loop: few tokens in a pass make many passes, and the same update") {
  const TokenizedSplit split = small_split(64, 5);
  for (const double dropout : {0.0, 0.5}) {
    ModelConfig model = small_model("mha");
    model.transformer.dropout = dropout;
    std::vector<StepReport> reports;
    for (const Index tokens : {Index{1}, Index{1000000}}) {
      TrainingConfig config = small_training(1);
      config.pass_tokens = tokens;
      Model net = make_model(model);
      reports.push_back(Trainer(net, split, config).step());
    }
    if (dropout > 0) {  // each pass draws its own masks: there were several
      CHECK(reports[0].loss != reports[1].loss);
      continue;
    }
    CHECK(reports[0].loss == doctest::Approx(reports[1].loss).epsilon(1e-5));
    CHECK(reports[0].gradient_norm == doctest::Approx(reports[1].gradient_norm).epsilon(1e-4));
  }
}

TEST_CASE("loop: the policy is in force when the warm start is over and the price has risen") {
  ModelConfig config = small_model("budget");
  config.budget.dense = 0.5;
  config.budget.price_ramp = 0.5;
  const Model model = make_model(config);
  CHECK_FALSE(policy_in_force(model, 0.4));
  CHECK_FALSE(policy_in_force(model, 0.6));
  CHECK(policy_in_force(model, 0.8));
  CHECK(policy_in_force(model, 1));
  CHECK(policy_in_force(make_model(small_model("mha")), 0.1));
}

TEST_CASE("loop: each step of a model with budgets reports the schedules at its progress") {
  const TokenizedSplit split = small_split(64, 5);
  ModelConfig config = small_model("budget");
  config.budget.dense = 0.5;
  Model model = make_model(config), dense = make_model(small_model("mha"));
  std::vector<StepReport> steps;
  TrainingEvents events;
  events.step = [&](const StepReport& step, Index) { steps.push_back(step); };
  fit(model, split, split, small_training(2), events);
  REQUIRE(steps.size() == 16);
  for (const StepReport& step : steps) {
    REQUIRE(step.policy.has_value());
    const PolicyState want = policy_at(config.budget, static_cast<double>(step.step) / 16);
    CHECK(step.policy->dense == (step.step < 8));
    CHECK(step.policy->temperature == want.temperature);
    CHECK(step.policy->price == want.price);
  }
  steps.clear();
  fit(dense, split, split, small_training(1), events);
  CHECK_FALSE(steps.front().policy.has_value());
}

TEST_CASE("loop: weights that are not finite stop the run and are named, with skip too") {
  const TokenizedSplit split = small_split(64, 5);
  for (const char* then : {"stop", "skip"}) {
    Model model = make_model(small_model("mha"));
    TrainingConfig config = small_training(1);
    config.on_nonfinite = then;
    Trainer trainer(model, split, config);
    trainer.step();
    trainer.require_finite();
    weight(model, "head.bias")[1] = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_WITH_AS(trainer.step(),
                         "training: the loss is nan at step 2 (epoch 1): the weight \"head.bias\" "
                         "[3] has nan at element 1",
                         NonFinite);
    CHECK_THROWS_WITH_AS(trainer.require_finite(),
                         "training: after step 2 the weight \"head.bias\" [3] has nan at element 1",
                         NonFinite);
  }
}

TEST_CASE("loop: a gradient that is not finite is named with its operation and parameter") {
  const TokenizedSplit split = small_split(64, 5);
  for (const Index passes : {Index{1}, Index{3}}) {
    Model model = make_model(small_model("mha"));
    TrainingConfig config = small_training(1);
    config.accumulate = passes;
    Trainer trainer(model, split, config);
    trainer.step();
    // Hidden units of 1e20 are brought down again, so that the loss is large but finite; the
    // gradient of the weights that bring them down is 1e20 times that of the loss.
    for (Real& v : values(weight(model, "layers.1.ffn.up.weight"))) v *= Real(1e20);
    for (Real& v : values(weight(model, "layers.1.ffn.down.weight"))) v *= Real(1e-20);
    for (Real& v : values(weight(model, "head.weight"))) v *= Real(1e25);
    const std::vector<Real> before = weights_of(model);
    const std::string text = error_text<NonFinite>([&] { trainer.step(); });
    CHECK(
        text.starts_with("training: the gradient is not finite at step 2 (epoch 1): "
                         "feed_forward: gradient of input 3 [16, 32] has "));
    CHECK(
        text.ends_with("; the first parameter with a gradient that is not finite is "
                       "\"layers.1.ffn.down.weight\""));
    CHECK(weights_of(model) == before);
    CHECK(trainer.optimizer().steps() == 1);
  }
}

TEST_CASE("loop: an update that is not finite is skipped: nothing moves, it is counted and told") {
  const TokenizedSplit split = split_with_rare_token();
  Model model = make_model(small_model("budget"));
  poison_rare_token(model);
  TrainingConfig config = small_training(1);
  config.on_nonfinite = "skip";
  Trainer trainer(model, split, config);
  Index skipped = 0;
  double loss = 0;
  while (!trainer.epoch_complete()) {
    const std::vector<Real> weights = weights_of(model), moments = moments_of(trainer);
    const std::uint64_t updates = trainer.optimizer().steps();
    const StepReport step = trainer.step();
    if (step.skipped.empty()) {
      loss += step.loss * static_cast<double>(step.examples);
      CHECK(trainer.optimizer().steps() == updates + 1);
      CHECK(moments_of(trainer) != moments);
      continue;
    }
    ++skipped;
    CHECK(step.skipped.starts_with(
        join_parts("the loss is nan at step ", step.step, " (epoch 1): layer_norm: output [")));
    CHECK(step.skipped.ends_with("\"tokens.weight\""));
    CHECK(std::isnan(step.loss));
    CHECK(std::isnan(step.gradient_norm));
    CHECK(trainer.optimizer().steps() == updates);
    CHECK(weights_of(model) == weights);
    CHECK(moments_of(trainer) == moments);
  }
  CHECK(skipped == 1);
  CHECK(trainer.state().skips.total == 1);
  CHECK(trainer.state().skips.in_a_row == 0);
  const EpochReport report = trainer.end_epoch();
  CHECK(report.skipped == 1);
  CHECK(report.train_loss == doctest::Approx(loss / 56));
  config.on_nonfinite = "stop";
  Model again = make_model(small_model("budget"));
  poison_rare_token(again);
  Trainer stopping(again, split, config);
  const std::string text = error_text<NonFinite>([&] {
    while (!stopping.done()) stopping.step();
  });
  CHECK(text.starts_with("training: the loss is nan at step "));
}

TEST_CASE("loop: after ten skipped updates in a row the run stops") {
  const TokenizedSplit split = small_split(160, 5);
  Model model = make_model(small_model("mha"));
  TrainingConfig config = small_training(1);
  config.on_nonfinite = "skip";
  Trainer trainer(model, split, config);
  trainer.step();
  for (Real& v : values(weight(model, "tokens.weight"))) v = most_embedding;
  for (Index i = 0; i < 10; ++i) CHECK(trainer.step().skipped != "");
  const std::string text = error_text<NonFinite>([&] { trainer.step(); });
  CHECK(text.starts_with("training: the loss is nan at step 12 (epoch 1): layer_norm: output ["));
  CHECK(text.ends_with("; it is number 11 in a row, and 10 may be skipped"));
}

TEST_CASE("loop: an epoch of skipped updates alone has an end") {
  const TokenizedSplit split = small_split(16, 5);
  Model model = make_model(small_model("mha"));
  TrainingConfig config = small_training(1);
  config.on_nonfinite = "skip";
  Trainer trainer(model, split, config);
  for (Real& v : values(weight(model, "tokens.weight"))) v = most_embedding;
  trainer.step();
  CHECK_FALSE(trainer.epoch_complete());
  trainer.step();
  CHECK(trainer.epoch_complete());
  const EpochReport report = trainer.end_epoch();
  CHECK(report.skipped == 2);
  CHECK(std::isnan(report.train_loss));
}

TEST_CASE("loop: a jump of the loss is reported once, with the level before it") {
  const TokenizedSplit split = small_split(400, 5);
  Model model = make_model(small_model("mha"));
  Trainer trainer(model, split, small_training(1));
  for (Index i = 0; i < 40; ++i) CHECK_FALSE(trainer.step().spike.has_value());
  for (Real& v : values(weight(model, "head.weight"))) v *= -100;
  const StepReport step = trainer.step();
  REQUIRE(step.spike.has_value());
  CHECK(*step.spike < step.loss - 0.5);
  CHECK_FALSE(trainer.step().spike.has_value());
  while (!trainer.epoch_complete()) trainer.step();
  const EpochReport report = trainer.end_epoch();
  CHECK(report.loss_spikes == 1);
  CHECK(report.first_spike == 41);
}

TEST_CASE("loop: parameters without gradient are those that no update of the epoch moved") {
  const TokenizedSplit split = small_split(64, 5);
  ModelConfig config = small_model("budget");
  config.budget.dense = 0.5;
  config.budget.price_ramp = 0;
  Model model = make_model(config);
  std::vector<EpochReport> epochs;
  TrainingEvents events;
  events.epoch = [&](const EpochReport& epoch) { epochs.push_back(epoch); };
  fit(model, split, split, small_training(4), events);
  REQUIRE(epochs.size() == 4);
  const std::vector<std::string>& first = epochs[0].without_gradient;
  CHECK(std::count(first.begin(), first.end(), "layers.0.attention.gate.score.weight") == 1);
  CHECK(epochs[3].without_gradient.empty());
}

TEST_CASE("loop: wrong settings are named") {
  const TokenizedSplit split = small_split(8, 5);
  Model model = make_model(small_model("mha"));
  const auto make = [&](void (*change)(TrainingConfig&)) {
    TrainingConfig config;
    change(config);
    Trainer trainer(model, split, config);
  };
  CHECK_THROWS_WITH_AS(make([](TrainingConfig& c) { c.epochs = 0; }),
                       "training: epochs must be at least 1, got 0", std::invalid_argument);
  CHECK_THROWS_WITH_AS(make([](TrainingConfig& c) { c.epochs = Index{1} << 63, c.batch = 4; }),
                       "training: 9223372036854775808 epochs of 2 steps are too many",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(make([](TrainingConfig& c) { c.batch = 0; }),
                       "training: batch must be at least 1, got 0", std::invalid_argument);
  CHECK_THROWS_WITH_AS(make([](TrainingConfig& c) { c.batch = 4, c.accumulate = 5; }),
                       "training: accumulate must be in [1, batch = 4], got 5",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(make([](TrainingConfig& c) { c.clip = -1; }),
                       "training: clip must be at least 0, got -1", std::invalid_argument);
  CHECK_THROWS_WITH_AS(make([](TrainingConfig& c) { c.on_nonfinite = "hope"; }),
                       "training: on_nonfinite must be stop or skip, got \"hope\"",
                       std::invalid_argument);
  const TrainingConfig usual;
  CHECK_THROWS_WITH_AS(Trainer(model, TokenizedSplit{}, usual),
                       "training: the split has no example", std::invalid_argument);
  TrainingConfig one;
  one.max_steps = 1;
  Trainer trainer(model, split, one);
  trainer.step();
  CHECK_THROWS_WITH_AS(trainer.step(), "training: all 1 steps are done", std::logic_error);
}

TEST_CASE("loop: an epoch ends where its rows do") {
  const TokenizedSplit split = small_split(20, 5);
  Model model = make_model(small_model("mha"));
  Trainer trainer(model, split, small_training(2));  // 3 updates each
  CHECK_FALSE(trainer.epoch_complete());
  CHECK_THROWS_WITH_AS(trainer.end_epoch(), "training: the epoch is not complete at step 0",
                       std::logic_error);
  double loss = 0;
  for (Index i = 0; i < 3; ++i) {
    CHECK_FALSE(trainer.epoch_complete());
    const StepReport step = trainer.step();
    loss += step.loss * static_cast<double>(step.examples);
  }
  CHECK(trainer.epoch_complete());
  CHECK(trainer.state().sums.examples == 20);
  const EpochReport report = trainer.end_epoch();
  CHECK(report.epoch == 1);
  CHECK(report.step == 3);
  CHECK(report.train_loss == loss / 20);
  CHECK(trainer.state().sums.examples == 0);
  CHECK_FALSE(trainer.epoch_complete());
}
