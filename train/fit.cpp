#include "train/fit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tensor/require.h"
#include "train/alarms.h"
#include "train/best_epoch.h"

namespace bf {
namespace {

NamedTensors weights_of(Module& net) {
  NamedTensors weights;
  for (const NamedParameter& p : net.named_parameters()) {
    weights.emplace_back(p.name, p.variable->value());
  }
  return weights;
}

NamedTensors copies_of(const NamedTensors& tensors) {
  NamedTensors copies;
  for (const auto& [name, tensor] : tensors) copies.emplace_back(name, tensor.clone());
  return copies;
}

void restore_weights(Module& net, const NamedTensors& weights) {
  load_parameters(net, {weights, {}}, "state of the run");
}

NamedTensors moments_of(const AdamW& optimizer, Tensor AdamW::Moments::*which) {
  NamedTensors moments;
  for (Index i = 0; i < optimizer.parameters().size(); ++i) {
    moments.emplace_back(optimizer.parameters()[i].name, optimizer.moments()[i].*which);
  }
  return moments;
}

void restore_moments(AdamW& optimizer, Tensor AdamW::Moments::*which, const NamedTensors& from) {
  const auto& parameters = optimizer.parameters();
  require_data(from.size() == parameters.size(), "training: the state has moments of ", from.size(),
               " parameters, the model has ", parameters.size());
  for (Index i = 0; i < parameters.size(); ++i) {
    const auto& [name, tensor] = from[i];
    Tensor& into = optimizer.moments()[i].*which;
    require_data(name == parameters[i].name && tensor.shape() == into.shape(),
                 "training: the state has moments of \"", name, "\" ", tensor.shape(),
                 " where the model has \"", parameters[i].name, "\" ", into.shape());
    std::copy_n(tensor.data(), tensor.size(), into.data());
  }
}

/// One run of fit().
class Fit {
 public:
  Fit(Model& model, const TokenizedSplit& train, const TokenizedSplit& validation,
      const TrainingConfig& config, const TrainingEvents& events)
      : model_(model),
        validation_(validation),
        patience_(config.patience),
        events_(events),
        trainer_(model, train, config) {}

  void restore(const TrainingState& state);
  TrainingResult run();

 private:
  void epoch();
  void validate(EpochReport& report);
  void step();
  void add(EpochReport report);
  Energy epoch_energy();
  TrainingState state();
  void save();
  void stop_if_asked(bool saved);
  bool waited() const { return patience_ > 0 && best_.without_improvement() >= patience_; }

  Model& model_;
  const TokenizedSplit& validation_;
  Index patience_;
  const TrainingEvents& events_;
  Trainer trainer_;
  TrainingResult result_;
  BestEpoch best_;
  NamedTensors best_weights_;
  std::optional<EnergyMeter> meter_;  ///< of the epoch under way
  Energy energy_before_;              ///< that earlier processes spent on it
};

TrainingResult Fit::run() {
  model_.net->train();
  while ((!trainer_.done() || trainer_.epoch_complete()) && !waited()) epoch();
  restore_weights(*model_.net, best_weights_);
  if (model_.budget != nullptr) model_.budget->set_progress(1);
  result_.best_epoch = best_.epoch();
  return std::move(result_);
}

void Fit::epoch() {
  meter_.emplace();
  while (!trainer_.epoch_complete()) {
    step();
    meter_->update();
  }
  trainer_.require_finite();
  EpochReport report = trainer_.end_epoch();
  validate(report);
  report.best = best_.offer(report.epoch, report.validation.scores.accuracy, report.in_force);
  report.energy = epoch_energy();
  report.alarms = alarms(report);
  meter_.reset();
  energy_before_ = {};
  if (report.best) best_weights_ = copies_of(weights_of(*model_.net));
  if (events_.epoch) events_.epoch(report);
  add(std::move(report));
  save();
  stop_if_asked(true);
}

void Fit::validate(EpochReport& report) {
  try {
    report.validation = evaluate(model_, validation_);
    report.soft_accuracy = report.validation.scores.accuracy;
    if (model_.budget == nullptr) return;
    report.soft_accuracy = evaluate(model_, validation_, evaluation_batch, true).scores.accuracy;
  } catch (const NonFinite& fault) {
    throw NonFinite(join_parts("training: the validation after step ", report.step, " (epoch ",
                               report.epoch, "): ", fault.what()));
  }
}

void Fit::step() {
  const StepReport report = trainer_.step();
  result_.without_gradient = trainer_.optimizer().without_gradient();
  if (events_.step) events_.step(report, trainer_.total_steps());
  // At the end of an epoch one save is enough, that after the validation.
  const bool due = events_.save_every > 0 && report.step % events_.save_every == 0;
  if (due && !trainer_.epoch_complete()) save();
  stop_if_asked(due && !trainer_.epoch_complete());
}

void Fit::add(EpochReport report) {
  result_.seconds += report.seconds;
  bf::add(result_.energy, report.energy);
  result_.steps = report.step;
  result_.skipped += report.skipped;
  // Text by text, class by class and layer by layer it would fill the memory and every checkpoint,
  // epoch by epoch.
  report.validation.predictions = {};
  report.validation.texts = {};
  report.validation.text_summary = {};
  report.validation.scores.class_f1 = {};
  report.validation.layers = {};
  result_.epochs.push_back(std::move(report));
}

Energy Fit::epoch_energy() {
  Energy energy = energy_before_;
  if (meter_) bf::add(energy, meter_->read());
  return energy;
}

TrainingState Fit::state() {
  TrainingState state;
  state.trainer = trainer_.state();
  state.epoch_energy = epoch_energy();
  state.epochs = result_.epochs;
  state.without_gradient = result_.without_gradient;
  const AdamW& optimizer = trainer_.optimizer();
  state.optimizer_steps = optimizer.steps();
  state.weights = weights_of(*model_.net);
  state.first_moments = moments_of(optimizer, &AdamW::Moments::first);
  state.second_moments = moments_of(optimizer, &AdamW::Moments::second);
  state.best_weights = best_weights_;
  return state;
}

void Fit::save() {
  if (!events_.save) return;
  trainer_.require_finite();
  events_.save(state());
}

void Fit::stop_if_asked(bool saved) {
  if (!events_.stop || !events_.stop()) return;
  if (!saved) save();
  throw TrainingStopped(
      join_parts("stopped after step ", trainer_.steps(), " of ", trainer_.total_steps()));
}

void Fit::restore(const TrainingState& state) {
  restore_weights(*model_.net, state.weights);
  AdamW& optimizer = trainer_.optimizer();
  optimizer.set_steps(state.optimizer_steps);
  restore_moments(optimizer, &AdamW::Moments::first, state.first_moments);
  restore_moments(optimizer, &AdamW::Moments::second, state.second_moments);
  trainer_.restore(state.trainer);
  energy_before_ = state.epoch_energy;
  for (const EpochReport& report : state.epochs) {
    best_.offer(report.epoch, report.validation.scores.accuracy, report.in_force);
    add(report);
  }
  result_.without_gradient = state.without_gradient;
  best_weights_ = copies_of(state.best_weights);
}

}  // namespace

TrainingResult fit(Model& model, const TokenizedSplit& train, const TokenizedSplit& validation,
                   const TrainingConfig& config, const TrainingEvents& events,
                   const TrainingState* from) {
  Fit run(model, train, validation, config, events);
  if (from != nullptr) run.restore(*from);
  return run.run();
}

}  // namespace bf
