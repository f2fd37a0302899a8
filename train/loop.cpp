#include "train/loop.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "autograd/add.h"
#include "autograd/cross_entropy.h"
#include "autograd/scale.h"
#include "tensor/clock.h"
#include "tensor/require.h"

namespace bf {

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
  const double count = static_cast<double>(report.examples);
  sums_.examples += count;
  sums_.loss += count * report.loss;
  sums_.policy_loss += count * report.policy_loss;
  sums_.seconds += report.seconds;
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
  if (epoch() != planned_epoch_) {
    planned_epoch_ = epoch();
    plan_ = training_plan(split_, config_.batch, config_.seed, planned_epoch_);
  }
  return plan_[(step_ - 1) % steps_per_epoch_];
}

bool Trainer::epoch_complete() const {
  return sums_.examples > 0 && (done() || step_ % steps_per_epoch_ == 0);
}

EpochReport Trainer::end_epoch() {
  require_state(epoch_complete(), "training: the epoch is not complete at step ", step_);
  EpochReport report;
  report.epoch = epoch();
  report.step = step_;
  report.train_loss = sums_.loss / sums_.examples;
  report.train_policy_loss = sums_.policy_loss / sums_.examples;
  report.seconds = sums_.seconds;
  report.in_force = policy_in_force(model_, progress());
  sums_ = {};
  return report;
}

void Trainer::restore(Index steps, const EpochSums& sums) {
  require(steps <= total_steps_, "training: step ", steps, " is beyond the last one, ",
          total_steps_);
  step_ = steps;
  sums_ = sums;
  if (model_.budget != nullptr) model_.budget->set_progress(progress());
}

bool policy_in_force(const Model& model, double progress) {
  if (model.budget == nullptr) return true;
  const BudgetConfig& config = model.budget->budget_config();
  const PolicyState now = policy_at(config, progress), last = policy_at(config, 1);
  // The weights of Weighting::relevance depend on the temperature, at inference too.
  const bool settled = config.weighting == Weighting::none || now.temperature == last.temperature;
  return now.dense == last.dense && now.price == last.price && settled;
}

}  // namespace bf
