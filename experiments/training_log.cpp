#include "experiments/training_log.h"

#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

std::string step_text(const StepReport& step, Index total) {
  return join_parts("step ", step.step, '/', total, "  loss ", fixed_digits(step.loss, 4),
                    "  policy ", fixed_digits(step.policy_loss, 4), "  norm ",
                    fixed_digits(step.gradient_norm, 2), "  lr ", step.learning_rate, "  ",
                    fixed_digits(1000 * step.seconds, 1), " ms");
}

std::string epoch_text(const EpochReport& epoch, Index heads) {
  const Evaluation& validation = epoch.validation;
  std::string text = join_parts(
      "epoch ", epoch.epoch, "  train loss ", fixed_digits(epoch.train_loss, 4),
      "  validation accuracy ", fixed_digits(validation.scores.accuracy, 4), "  loss ",
      fixed_digits(validation.loss, 4));
  if (!validation.layers.empty()) {
    text += join_parts("  soft ", fixed_digits(epoch.soft_accuracy, 4), "  s ",
                       fixed_digits(validation.budget_mean(), 3), "  heads");
    for (const LayerReport& layer : validation.layers) {
      text += ' ' + fixed_digits(layer.heads_mean, 2);
    }
    text += join_parts(" of ", heads);
  }
  return text + join_parts("  ", fixed_digits(epoch.seconds, 1), " s", epoch.best ? "  *" : "");
}

}  // namespace

TrainingEvents log_training(Progress& progress, const std::string& name, Index log_every,
                            Index heads) {
  TrainingEvents events;
  events.step = [&progress, name, log_every](const StepReport& step, Index total) {
    const std::string text = name + "  " + step_text(step, total);
    if (progress.live()) {
      progress.update(text);
    } else if (step.step % log_every == 0 || step.step == 1) {
      progress.line(text);
    }
  };
  events.epoch = [&progress, name, heads](const EpochReport& epoch) {
    progress.line(name + "  " + epoch_text(epoch, heads));
  };
  return events;
}

}  // namespace bf
