#include "train/fit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "tensor/require.h"
#include "tests/same_bits.h"
#include "tests/small_task.h"
#include "tests/values.h"
#include "train/alarms.h"

using namespace bf;

namespace {

/// Saved states share their tensors with the run; here they have to outlive it.
TrainingState copy_of(TrainingState state) {
  for (NamedTensors* group :
       {&state.weights, &state.first_moments, &state.second_moments, &state.best_weights}) {
    for (auto& [name, tensor] : *group) tensor = tensor.clone();
  }
  return state;
}

struct Outcome {
  std::vector<Real> weights;
  Bits moments;  ///< of the last state, saved or begun with
  TrainingResult result;
  std::vector<std::string> log;  ///< what was told, without times
};

Outcome outcome_of(const ModelConfig& config, const TrainingConfig& training,
                   TrainingEvents events = {}, const TrainingState* from = nullptr) {
  Outcome outcome;
  events.step = [&](const StepReport& step, Index total) {
    outcome.log.push_back(join_parts(step.epoch, ' ', step.step, '/', total, ' ', step.loss, ' ',
                                     step.policy_loss, ' ', step.gradient_norm));
  };
  events.epoch = [&](const EpochReport& epoch) {
    outcome.log.push_back(join_parts(epoch.epoch, " ends ", epoch.train_loss, ' ',
                                     epoch.validation.loss, ' ', epoch.soft_accuracy, ' ',
                                     epoch.in_force, ' ', epoch.best));
  };
  const auto keep_moments = [&](const TrainingState& state) {
    outcome.moments = {};
    for (const NamedTensors& group : {state.first_moments, state.second_moments})
      for (const auto& [name, tensor] : group) outcome.moments.add(name, tensor);
  };
  events.save = [&, save = events.save](const TrainingState& state) {
    if (save) save(state);
    keep_moments(state);
  };
  if (from) keep_moments(*from);
  Model model = make_model(config);
  outcome.result = fit(model, small_split(90, 5), small_split(40, 6), training, events, from);
  outcome.weights = weights_of(model);
  return outcome;
}

TrainingConfig three_epochs() {  // 12 updates each
  TrainingConfig training = small_training(3);
  training.patience = 2;
  return training;
}

/// The state in which a run was stopped after `steps` updates.
TrainingState stopped_after(Index steps, const ModelConfig& config) {
  std::optional<TrainingState> state;
  Index asked = 0;
  TrainingEvents events;
  events.save = [&](const TrainingState& saved) { state = copy_of(saved); };
  events.stop = [&] { return ++asked == steps; };
  CHECK_THROWS_AS(outcome_of(config, three_epochs(), events), TrainingStopped);
  REQUIRE(state.has_value());
  return *state;
}

}  // namespace

TEST_CASE("fit: a run that goes on after any update ends with the bits of one that never stopped") {
  for (const char* attention : {"mha", "budget", "random"}) {
    CAPTURE(attention);
    ModelConfig config = small_model(attention);
    config.budget.sparse_after = 0.6;
    const Outcome whole = outcome_of(config, three_epochs());
    // stop() is asked after each update and after each epoch: 13 is the end of the first.
    for (const Index steps : Sizes{1, 7, 12, 13, 14, 25, 26, 30, 38, 39}) {
      CAPTURE(steps);
      const TrainingState state = stopped_after(steps, config);
      const Outcome rest = outcome_of(config, three_epochs(), {}, &state);
      CHECK(rest.weights == whole.weights);
      CHECK(rest.moments.difference(whole.moments) == "");
      CHECK(rest.result.best_epoch == whole.result.best_epoch);
      CHECK(rest.result.steps == whole.result.steps);
      REQUIRE(rest.log.size() + steps == whole.log.size());
      CHECK(std::equal(rest.log.begin(), rest.log.end(),
                       whole.log.begin() + static_cast<std::ptrdiff_t>(steps)));
    }
  }
}

TEST_CASE("fit: saves after every so many updates and once at the end of each epoch") {
  std::vector<std::pair<Index, Index>> saved;  // step, complete epochs
  TrainingEvents events;
  events.save_every = 6;
  events.save = [&](const TrainingState& state) {
    saved.emplace_back(state.trainer.step, state.epochs.size());
    CHECK(state.best_weights.empty() == state.epochs.empty());
    CHECK((state.trainer.sums.examples == 0) == (state.trainer.step % 12 == 0));
  };
  const std::vector<std::pair<Index, Index>> both = {{6, 0},  {12, 1}, {18, 1},
                                                     {24, 2}, {30, 2}, {36, 3}};
  outcome_of(small_model("mha"), small_training(3), events);
  CHECK(saved == both);
  saved.clear();
  events.save_every = 0;
  outcome_of(small_model("mha"), small_training(3), events);
  CHECK(saved == std::vector<std::pair<Index, Index>>{{12, 1}, {24, 2}, {36, 3}});
}

TEST_CASE("fit: says where it was stopped") {
  TrainingEvents events;
  events.stop = [] { return true; };
  CHECK_THROWS_WITH_AS(outcome_of(small_model("mha"), small_training(3), events),
                       "stopped after step 1 of 36", TrainingStopped);
}

TEST_CASE("fit: a state of another model is refused") {
  const TrainingState state = stopped_after(3, small_model("mha"));
  const auto text = [](const TrainingState& from) {
    return error_text<std::runtime_error>(
        [&] { outcome_of(small_model("mha"), three_epochs(), {}, &from); });
  };
  CHECK(text(state) == "");
  TrainingState wrong = state;
  wrong.weights.pop_back();
  CHECK(text(wrong) == "load: checkpoint \"state of the run\" lacks \"head.bias\" of the model");
  wrong = state;
  wrong.first_moments.pop_back();
  CHECK(text(wrong) == join_parts("training: the state has moments of ", state.weights.size() - 1,
                                  " parameters, the model has ", state.weights.size()));
  wrong = state;
  wrong.second_moments.back().second = Tensor::zeros({2});
  CHECK(
      text(wrong) ==
      "training: the state has moments of \"head.bias\" [2] where the model has \"head.bias\" [3]");
  wrong = state;
  wrong.trainer.step = 37;
  CHECK_THROWS_WITH_AS(outcome_of(small_model("mha"), three_epochs(), {}, &wrong),
                       "training: step 37 is beyond the last one, 36", std::invalid_argument);
}

TEST_CASE("fit: what a validation says by text, class and layer is told, and not kept") {
  Model model = make_model(small_model("budget"));
  std::vector<std::vector<std::string>> told;  // alarms
  TrainingEvents events;
  events.epoch = [&](const EpochReport& epoch) {
    CHECK(epoch.validation.texts.losses.size() == 40);
    CHECK(epoch.validation.text_summary.by_class.size() == 3);
    CHECK(epoch.validation.scores.class_f1.size() == 3);
    CHECK(epoch.validation.layers.size() == 2);
    told.push_back(alarms(epoch));
  };
  const TrainingResult result =
      fit(model, small_split(90, 5), small_split(40, 6), small_training(2), events);
  REQUIRE((told.size() == 2 && !told[0].empty()));
  for (const EpochReport& epoch : result.epochs) {
    CHECK(epoch.validation.texts.losses.empty());
    CHECK(epoch.validation.text_summary.by_class.empty());
    CHECK(epoch.validation.scores.class_f1.empty());
    CHECK(epoch.validation.layers.empty());
    CHECK(epoch.alarms == told[epoch.epoch - 1]);
  }
}

TEST_CASE("fit: both models learn a small task") {
  const TokenizedSplit train = small_split(400, 5), validation = small_split(100, 6);
  for (const char* attention : {"mha", "budget", "fixed", "random"}) {
    CAPTURE(attention);
    Model model = make_model(small_model(attention));
    const TrainingResult result = fit(model, train, validation, small_training(8));
    CHECK(result.steps == 400);
    REQUIRE(result.epochs.size() == 8);
    CHECK(result.epochs.back().train_loss < result.epochs.front().train_loss);
    CHECK(evaluate(model, validation).scores.accuracy > 0.9);
  }
}

TEST_CASE("fit: losses of 1, 1, 1, 1 and 6 in batches of 2 have the mean 2") {
  // The mean over examples, not over batches. Nothing is learned at rate 0, and the head sees
  // nothing: its biases are log(1/e), log(1/e^6) and log of the rest.
  ModelConfig model_config = small_model("mha");
  model_config.transformer.dropout = 0;
  TokenizedSplit split = small_split(5, 7);
  split.labels = {0, 0, 1, 0, 0};
  for (const Index batch : Sizes{1, 2, 3, 4, 5}) {
    TrainingConfig config = small_training(1);
    config.batch = batch;
    config.learning_rate.peak = 0;
    config.adamw.weight_decay = 0;
    Model model = make_model(model_config);
    for (const NamedParameter& p : model.net->named_parameters()) {
      if (p.name == "head.weight") p.variable->mutable_value().fill(0);
      if (p.name != "head.bias") continue;
      const double rest = std::log(1 - std::exp(-1.0) - std::exp(-6.0));
      p.variable->mutable_value() = Tensor::from({3}, {-1, -6, static_cast<Real>(rest)});
    }
    const TrainingResult result = fit(model, split, split, config);
    CHECK(result.epochs[0].train_loss == doctest::Approx(2).epsilon(1e-6));
    CHECK(result.epochs[0].validation.loss == doctest::Approx(2).epsilon(1e-6));
  }
}

TEST_CASE("fit: max_steps ends the run inside an epoch, and that part counts as one") {
  const TokenizedSplit split = small_split(80, 5);
  Model model = make_model(small_model("mha"));
  TrainingConfig config = small_training(5);
  config.max_steps = 13;
  std::vector<Index> seen;
  double last_rate = -1;
  TrainingEvents events;
  events.step = [&](const StepReport& step, Index total) {
    CHECK(total == 13);
    seen.push_back(step.step);
    last_rate = step.learning_rate;
  };
  const TrainingResult result = fit(model, split, split, config, events);
  CHECK(seen.size() == 13);
  CHECK(seen.back() == 13);
  CHECK(result.epochs.size() == 2);
  CHECK(result.epochs.back().step == 13);
  CHECK(last_rate == doctest::Approx(0));
}

TEST_CASE("fit: the weights of the best epoch are the ones that stay") {
  const TokenizedSplit train = small_split(200, 5), validation = small_split(60, 6);
  Model model = make_model(small_model("budget"));
  TrainingConfig config = small_training(6);
  config.learning_rate.peak = 0.03;  // too high on purpose: accuracy goes up and down
  config.learning_rate.decay = "constant";
  std::vector<Real> best_weights;
  TrainingEvents events;
  events.epoch = [&](const EpochReport& epoch) {
    if (epoch.best) best_weights = weights_of(model);
  };
  const TrainingResult result = fit(model, train, validation, config, events);
  REQUIRE(result.best_epoch < 6);
  const EpochReport& best = result.epochs[result.best_epoch - 1];
  CHECK(best.in_force);
  for (const EpochReport& epoch : result.epochs) {
    if (epoch.in_force) {
      CHECK(epoch.validation.scores.accuracy <= best.validation.scores.accuracy);
    }
  }
  CHECK(weights_of(model) == best_weights);
}

TEST_CASE("fit: early stopping waits for as many epochs as asked") {
  const TokenizedSplit split = small_split(24, 5);
  Model model = make_model(small_model("mha"));
  TrainingConfig config = small_training(9);
  config.learning_rate.peak = 0;  // no epoch can be better than the first
  config.adamw.weight_decay = 0;
  config.patience = 2;
  const TrainingResult result = fit(model, split, split, config);
  CHECK(result.epochs.size() == 3);
  CHECK(result.best_epoch == 1);
}

TEST_CASE("fit: training goes on with the selected heads alone, alike on any number of threads") {
  const TokenizedSplit split = small_split(64, 5);
  ModelConfig config = small_model("budget");
  config.budget.dense = 0.2, config.budget.sparse_after = 0.4;
  std::vector<std::vector<Real>> weights;
  for (const Index threads : {Index{1}, Index{2}, Index{3}}) {
    const ThreadsGuard guard(threads);
    Model model = make_model(config);
    const TrainingResult result = fit(model, split, split, small_training(4));
    CHECK(result.without_gradient.empty());
    CHECK(result.epochs.back().train_loss < result.epochs.front().train_loss);
    weights.push_back(weights_of(model));
  }
  CHECK(weights[0] == weights[1]);
  CHECK(weights[0] == weights[2]);
  config.budget.sparse_after = 1;
  Model dense = make_model(config);
  fit(dense, split, split, small_training(4));
  CHECK(weights_of(dense) != weights[0]);
}

namespace {

TokenizedSplit without_rare_token(Index examples, std::uint64_t seed) {
  TokenizedSplit split = small_split(examples, seed);
  for (auto& tokens : split.tokens) std::replace(tokens.begin(), tokens.end(), 15, 14);
  return split;
}

struct Skipping {
  std::vector<Real> weights;
  TrainingResult result;
  std::vector<TrainingState> states;  ///< after every update and epoch
  std::vector<std::string> log;
};

/// Three epochs of 8 updates, one of each skipped; stopped after so many updates and epochs.
Skipping skipping_run(Index stop_after, const TrainingState* from = nullptr) {
  Skipping run;
  Model model = make_model(small_model("budget"));
  poison_rare_token(model);
  TrainingConfig training = small_training(3);
  training.on_nonfinite = "skip";
  TrainingEvents events;
  events.save = [&](const TrainingState& state) { run.states.push_back(copy_of(state)); };
  events.stop = [&, asked = Index{0}]() mutable { return ++asked == stop_after; };
  events.step = [&](const StepReport& step, Index) {
    run.log.push_back(join_parts(step.step, ' ', step.loss, ' ', step.skipped));
  };
  events.epoch = [&](const EpochReport& epoch) {
    run.log.push_back(join_parts(epoch.epoch, ' ', epoch.train_loss, ' ', epoch.skipped, ' ',
                                 epoch.loss_spikes, ' ', epoch.without_gradient.size()));
  };
  try {
    run.result =
        fit(model, split_with_rare_token(), without_rare_token(40, 6), training, events, from);
  } catch (const TrainingStopped&) {
  }
  run.weights = weights_of(model);
  return run;
}

}  // namespace

TEST_CASE(
    "fit: skipped updates are counted alike whether the run goes on after one or never stops") {
  const Skipping whole = skipping_run(0);
  CHECK(whole.result.skipped == 3);
  CHECK(whole.states.back().trainer.skips.total == 3);
  for (Index i = 1; i < 27; ++i) {
    CAPTURE(i);
    const TrainingState state = skipping_run(i).states.back();
    const Skipping rest = skipping_run(0, &state);
    CHECK(rest.weights == whole.weights);
    CHECK(rest.result.skipped == 3);
    CHECK(rest.states.back().trainer.skips.total == 3);
    CHECK(rest.states.back().trainer.loss_level.losses ==
          whole.states.back().trainer.loss_level.losses);
    REQUIRE(rest.log.size() + i == whole.log.size());
    CHECK(std::equal(rest.log.begin(), rest.log.end(),
                     whole.log.begin() + static_cast<std::ptrdiff_t>(i)));
  }
}

TEST_CASE("fit: the energy of an epoch counts what was spent before an interruption") {
  TrainingState state = stopped_after(14, small_model("mha"));  // in the second epoch
  CHECK(state.epoch_energy.cpu_seconds > 0);
  CHECK(state.epoch_energy.joules > 0);
  CHECK(stopped_after(13, small_model("mha")).epoch_energy.joules == 0);  // at the end of the first
  state.epoch_energy.joules += 1e9;
  const Outcome rest = outcome_of(small_model("mha"), three_epochs(), {}, &state);
  REQUIRE(rest.result.epochs.size() == 3);
  CHECK(rest.result.epochs[0].energy.joules < 1e9);
  CHECK(rest.result.epochs[1].energy.joules > state.epoch_energy.joules);
  CHECK(rest.result.epochs[1].energy.joules < 1.1e9);
  CHECK(rest.result.epochs[2].energy.joules < 1e9);
  CHECK(rest.result.energy.joules > 1e9);
}

TEST_CASE("fit: a state that holds a weight that is not finite is not saved") {
  Model model = make_model(small_model("mha"));
  TrainingEvents events;
  events.save_every = 2;
  Index saved = 0;
  events.save = [&](const TrainingState&) { ++saved; };
  events.step = [&](const StepReport& step, Index) {
    if (step.step != 4) return;
    for (const NamedParameter& p : model.net->named_parameters()) {
      if (p.name == "head.weight") p.variable->mutable_value()[5] = INFINITY;
    }
  };
  const TokenizedSplit split = small_split(90, 5);
  CHECK_THROWS_WITH_AS(
      fit(model, split, split, small_training(1), events),
      "training: after step 4 the weight \"head.weight\" [3, 16] has inf at element 5", NonFinite);
  CHECK(saved == 1);
}

TEST_CASE("fit: a validation without an answer stops the run and says after which step") {
  Model model = make_model(small_model("mha"));
  poison_rare_token(model);
  CHECK_THROWS_WITH_AS(
      fit(model, without_rare_token(90, 5), split_with_rare_token(), small_training(1)),
      "training: the validation after step 12 (epoch 1): evaluate: logit 0 of text "
      "40 is nan",
      NonFinite);
}
