#include "train/loop.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "autograd/add.h"
#include "autograd/cross_entropy.h"
#include "autograd/scale.h"
#include "tensor/clock.h"
#include "tensor/require.h"
#include "train/best_epoch.h"

namespace bf {
namespace {

std::vector<Tensor> copy_weights(Module& net) {
  std::vector<Tensor> weights;
  for (const NamedParameter& p : net.named_parameters()) {
    weights.push_back(p.variable->value().clone());
  }
  return weights;
}

void restore_weights(Module& net, const std::vector<Tensor>& weights) {
  Index next = 0;
  for (const NamedParameter& p : net.named_parameters()) {
    p.variable->mutable_value() = weights[next++].clone();
  }
}

}  // namespace

void TrainingConfig::check() const {
  require(epochs >= 1, "training: epochs must be at least 1, got ", epochs);
  require(batch >= 1, "training: batch must be at least 1, got ", batch);
  require(accumulate >= 1 && accumulate <= batch,
          "training: accumulate must be in [1, batch = ", batch, "], got ", accumulate);
  require(pass_tokens >= 1, "training: pass_tokens must be at least 1, got ", pass_tokens);
  require(clip >= 0 && std::isfinite(clip), "training: clip must be at least 0, got ", clip);
  learning_rate.check();
}

Trainer::Trainer(Model& model, const TokenizedSplit& split, const TrainingConfig& config)
    : model_(model),
      split_(split),
      config_(config),
      optimizer_(model.net->named_parameters(), config.adamw) {
  config.check();
  require(split.size() > 0, "training: the split has no example");
  steps_per_epoch_ = (split.size() + config.batch - 1) / config.batch;
  total_steps_ = config.epochs * steps_per_epoch_;
  if (config.max_steps > 0) total_steps_ = std::min(total_steps_, config.max_steps);
}

double Trainer::progress() const {
  return static_cast<double>(step_) / static_cast<double>(total_steps_);
}

StepReport Trainer::step() {
  require_state(!done(), "training: all ", total_steps_, " steps are done");
  const auto start = Clock::now();
  ++step_;
  const std::span<const Index> examples = next_examples();
  StepReport report{.step = step_, .epoch = planned_epoch_, .examples = examples.size()};
  model_.net->begin_step(step_);
  if (model_.budget != nullptr) {
    model_.budget->set_progress(progress());
    report.policy = model_.budget->policy_state();
  }
  // Each pass counts by its share of the examples, so that splitting changes no gradient.
  Index first = 0;
  for (const Index count : passes_of(examples)) {
    pass(make_batch(split_, examples.subspan(first, count)),
         static_cast<double>(count) / static_cast<double>(examples.size()), report);
    first += count;
  }
  report.learning_rate = learning_rate_at(config_.learning_rate, step_, total_steps_);
  report.gradient_norm = optimizer_.step(report.learning_rate, config_.clip);
  model_.net->zero_grad();
  report.seconds = seconds_since(start);
  return report;
}

std::vector<Index> Trainer::passes_of(std::span<const Index> examples) const {
  std::vector<Index> lengths;
  for (const Index example : examples) lengths.push_back(split_.tokens[example].size());
  return pass_sizes(lengths, config_.pass_tokens, config_.accumulate);
}

void Trainer::pass(const Batch& batch, double share, StepReport& report) {
  const Variable logits = model_.net->forward(batch.tokens, batch.segments);
  Variable loss = cross_entropy(logits, batch.labels, config_.label_smoothing);
  const double cross = loss.item();
  const Variable policy = model_.budget != nullptr ? model_.budget->policy_loss() : Variable();
  if (policy.defined()) loss = add(loss, policy);
  require_data(std::isfinite(loss.item()), "training: the loss is ", loss.item(), " at step ",
               step_, " (epoch ", planned_epoch_, ")");
  report.loss += share * cross;
  report.policy_loss += policy.defined() ? share * static_cast<double>(policy.item()) : 0;
  report.tokens += batch.tokens.size();
  backward(share < 1 ? scale(loss, static_cast<Real>(share)) : loss);
}

const std::vector<Index>& Trainer::next_examples() {
  const Index epoch = 1 + (step_ - 1) / steps_per_epoch_;
  if (epoch != planned_epoch_) {
    plan_ = training_plan(split_, config_.batch, config_.seed, epoch);
    planned_epoch_ = epoch;
  }
  return plan_[(step_ - 1) % steps_per_epoch_];
}

EpochReport Trainer::epoch(const TrainingEvents& events) {
  EpochReport report;
  double examples = 0;
  do {
    const StepReport step = this->step();
    const double count = static_cast<double>(step.examples);
    report.train_loss += count * step.loss;
    report.train_policy_loss += count * step.policy_loss;
    report.seconds += step.seconds;
    examples += count;
    if (events.step) events.step(step, total_steps_);
  } while (!done() && step_ % steps_per_epoch_ != 0);
  report.epoch = planned_epoch_;
  report.step = step_;
  report.train_loss /= examples;
  report.train_policy_loss /= examples;
  report.in_force = policy_in_force(model_, progress());
  return report;
}

bool policy_in_force(const Model& model, double progress) {
  if (model.budget == nullptr) return true;
  const BudgetConfig& config = model.budget->budget_config();
  const PolicyState now = policy_at(config, progress), last = policy_at(config, 1);
  // The weights of Weighting::relevance depend on the temperature, at inference too.
  const bool settled = config.weighting == Weighting::none || now.temperature == last.temperature;
  return now.dense == last.dense && now.price == last.price && settled;
}

TrainingResult fit(Model& model, const TokenizedSplit& train, const TokenizedSplit& validation,
                   const TrainingConfig& config, const TrainingEvents& events) {
  Trainer trainer(model, train, config);
  TrainingResult result;
  BestEpoch best;
  std::vector<Tensor> best_weights;
  model.net->train();
  const auto waited = [&] {
    return config.patience > 0 && best.without_improvement() >= config.patience;
  };
  while (!trainer.done() && !waited()) {
    EpochReport report = trainer.epoch(events);
    report.validation = evaluate(model, validation);
    const double accuracy = report.validation.scores.accuracy;
    report.soft_accuracy = model.budget != nullptr
                               ? evaluate(model, validation, evaluation_batch, true).scores.accuracy
                               : accuracy;
    report.best = best.offer(report.epoch, accuracy, report.in_force);
    if (report.best) best_weights = copy_weights(*model.net);
    result.seconds += report.seconds;
    result.steps = report.step;
    if (events.epoch) events.epoch(report);
    result.epochs.push_back(std::move(report));
  }
  result.best_epoch = best.epoch();
  result.without_gradient = trainer.optimizer().without_gradient();
  restore_weights(*model.net, best_weights);
  if (model.budget != nullptr) model.budget->set_progress(1);
  return result;
}

}  // namespace bf
