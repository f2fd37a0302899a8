#include "train/loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "autograd/add.h"
#include "autograd/cross_entropy.h"
#include "autograd/scale.h"
#include "tensor/clock.h"
#include "tensor/reduce.h"
#include "tensor/require.h"

namespace bf {

void TrainingConfig::check() const {
  require(epochs >= 1, "training: epochs must be at least 1, got ", epochs);
  require(batch >= 1, "training: batch must be at least 1, got ", batch);
  require(accumulate >= 1 && accumulate <= batch,
          "training: accumulate must be in [1, batch = ", batch, "], got ", accumulate);
  require(pass_tokens >= 1, "training: pass_tokens must be at least 1, got ", pass_tokens);
  require(clip >= 0 && std::isfinite(clip), "training: clip must be at least 0, got ", clip);
  require(on_nonfinite == "stop" || on_nonfinite == "skip",
          "training: on_nonfinite must be stop or skip, got \"", on_nonfinite, '"');
  learning_rate.check();
}

Trainer::Trainer(Model& model, const TokenizedSplit& split, const TrainingConfig& config)
    : model_(model),
      split_(split),
      config_(config),
      optimizer_(model.net->named_parameters(), config.adamw) {
  config.check();
  require(split.size() > 0, "training: the split has no example");
  steps_per_epoch_ = 1 + (split.size() - 1) / config.batch;
  require(config.epochs <= std::numeric_limits<Index>::max() / steps_per_epoch_,
          "training: ", config.epochs, " epochs of ", steps_per_epoch_, " steps are too many");
  total_steps_ = config.epochs * steps_per_epoch_;
  if (config.max_steps > 0) total_steps_ = std::min(total_steps_, config.max_steps);
}

double Trainer::progress() const {
  return static_cast<double>(state_.step) / static_cast<double>(total_steps_);
}

StepReport Trainer::step() {
  require_state(!done(), "training: all ", total_steps_, " steps are done");
  const auto start = Clock::now();
  ++state_.step;
  const std::span<const Index> examples = next_examples();
  StepReport report{.step = state_.step, .epoch = planned_epoch_, .examples = examples.size()};
  report.learning_rate = learning_rate_at(config_.learning_rate, state_.step, total_steps_);
  try {
    passes(examples, WhenNonFinite::complain, report);
    update(report);
  } catch (const NonFinite& fault) {
    skip(fault.what(), examples, report);
  }
  model_.net->zero_grad();
  report.seconds = seconds_since(start);
  note(report);
  return report;
}

/// Gradients of the batch. Each pass counts by its share of the examples, so that splitting changes
/// no gradient. Everything random follows from the step, so that a second time is like the first.
void Trainer::passes(std::span<const Index> examples, WhenNonFinite then, StepReport& report) {
  model_.net->begin_step(state_.step);
  if (model_.budget != nullptr) {
    model_.budget->set_progress(progress());
    report.policy = model_.budget->policy_state();
  }
  Index first = 0;
  for (const Index count : passes_of(examples)) {
    const double share = static_cast<double>(count) / static_cast<double>(examples.size());
    const Variable loss =
        loss_of(make_batch(split_, examples.subspan(first, count)), share, report);
    if (then == WhenNonFinite::complain && !std::isfinite(loss.item())) {
      throw NonFinite(
          join_parts("the loss is ", non_finite_kind(static_cast<double>(loss.item()))));
    }
    backward(share < 1 ? scale(loss, static_cast<Real>(share)) : loss);
    first += count;
  }
}

std::vector<Index> Trainer::passes_of(std::span<const Index> examples) const {
  std::vector<Index> lengths;
  for (const Index example : examples) lengths.push_back(split_.tokens[example].size());
  return pass_sizes(lengths, config_.pass_tokens, config_.accumulate);
}

Variable Trainer::loss_of(const Batch& batch, double share, StepReport& report) {
  const Variable logits = model_.net->forward(batch.tokens, batch.segments);
  const Variable cross = cross_entropy(logits, batch.labels, config_.label_smoothing);
  const Variable policy = model_.budget != nullptr ? model_.budget->policy_loss() : Variable();
  report.loss += share * static_cast<double>(cross.item());
  report.policy_loss += policy.defined() ? share * static_cast<double>(policy.item()) : 0;
  report.tokens += batch.tokens.size();
  return policy.defined() ? add(cross, policy) : cross;
}

void Trainer::update(StepReport& report) {
  try {
    report.gradient_norm = optimizer_.step(report.learning_rate, config_.clip);
  } catch (const NonFinite&) {
    throw NonFinite("the gradient is not finite");
  }
}

/// Makes this update none, or throws.
void Trainer::skip(const std::string& fault, std::span<const Index> examples, StepReport& report) {
  const std::string weights = optimizer_.non_finite_state();
  const auto again = [&] {
    StepReport ignored;
    return non_finite_cause(optimizer_.parameters(),
                            [&] { passes(examples, WhenNonFinite::go_on, ignored); });
  };
  report.skipped = join_parts(fault, " at step ", state_.step, " (epoch ", planned_epoch_,
                              "): ", weights.empty() ? again() : weights);
  if (config_.on_nonfinite == "stop" || !weights.empty()) {
    throw NonFinite("training: " + report.skipped);
  }
  ++state_.skips.total;
  ++state_.skips.in_a_row;
  const std::string limit = too_many(state_.skips, total_steps_);
  if (!limit.empty()) throw NonFinite(join_parts("training: ", report.skipped, "; ", limit));
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  report.loss = report.policy_loss = report.gradient_norm = none;
}

void Trainer::require_finite() const {
  const std::string fault = optimizer_.non_finite_state();
  if (!fault.empty()) {
    throw NonFinite(join_parts("training: after step ", state_.step, ' ', fault));
  }
}

/// Adds the update to the sums of its epoch.
void Trainer::note(StepReport& report) {
  EpochSums& sums = state_.sums;
  sums.seconds += report.seconds;
  if (!report.skipped.empty()) {
    ++sums.skipped;
    return;
  }
  state_.skips.in_a_row = 0;
  report.spike = state_.loss_level.add(report.loss);
  if (report.spike && sums.loss_spikes++ == 0) sums.first_spike = report.step;
  const std::vector<std::string>& unmoved = optimizer_.unmoved();
  if (sums.examples == 0) {
    sums.without_gradient = unmoved;
  } else {
    std::erase_if(sums.without_gradient, [&](const std::string& name) {
      return std::find(unmoved.begin(), unmoved.end(), name) == unmoved.end();
    });
  }
  const double count = static_cast<double>(report.examples);
  sums.examples += count;
  sums.loss += count * report.loss;
  sums.policy_loss += count * report.policy_loss;
}

const std::vector<Index>& Trainer::next_examples() {
  if (epoch() != planned_epoch_) {
    planned_epoch_ = epoch();
    plan_ = training_plan(split_, config_.batch, config_.seed, planned_epoch_);
  }
  return plan_[(state_.step - 1) % steps_per_epoch_];
}

bool Trainer::epoch_complete() const {
  return state_.sums.begun() && (done() || state_.step % steps_per_epoch_ == 0);
}

EpochReport Trainer::end_epoch() {
  require_state(epoch_complete(), "training: the epoch is not complete at step ", state_.step);
  const EpochSums sums = std::exchange(state_.sums, {});
  EpochReport report;
  report.epoch = epoch();
  report.step = state_.step;
  report.train_loss = sums.loss / sums.examples;  // NaN if every update was skipped
  report.train_policy_loss = sums.policy_loss / sums.examples;
  report.seconds = sums.seconds;
  report.in_force = policy_in_force(model_, progress());
  report.skipped = sums.skipped;
  report.loss_spikes = sums.loss_spikes;
  report.first_spike = sums.first_spike;
  report.without_gradient = sums.without_gradient;
  return report;
}

void Trainer::restore(const TrainerState& state) {
  require(state.step <= total_steps_, "training: step ", state.step, " is beyond the last one, ",
          total_steps_);
  state_ = state;
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
