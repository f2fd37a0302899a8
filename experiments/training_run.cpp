#include "experiments/training_run.h"

#include <optional>
#include <utility>

#include "experiments/table.h"
#include "tensor/require.h"
#include "train/alarms.h"
#include "train/report_json.h"
#include "train/run_folder.h"
#include "train/text_json.h"

namespace bf {
namespace {

using nlohmann::json;

std::string step_text(const StepReport& step, Index total) {
  return join_parts("step ", step.step, '/', total, "  loss ", fixed_digits(step.loss, 4),
                    "  policy ", fixed_digits(step.policy_loss, 4), "  norm ",
                    fixed_digits(step.gradient_norm, 2), "  lr ", step.learning_rate, "  ",
                    fixed_digits(1000 * step.seconds, 1), " ms");
}

std::string epoch_text(const EpochReport& epoch, Index heads) {
  const Evaluation& validation = epoch.validation;
  std::string text =
      join_parts("epoch ", epoch.epoch, "  train loss ", fixed_digits(epoch.train_loss, 4),
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

/// Lines on the progress display, and objects in the folder if there is one.
TrainingEvents events_for(Progress& progress, const std::string& name, Index log_every, Index heads,
                          RunFolder* folder) {
  TrainingEvents events;
  events.step = [=, &progress](const StepReport& step, Index total) {
    const std::string text = name + "  " + step_text(step, total);
    if (progress.live()) progress.update(text);
    if (step.step % log_every != 0 && step.step != 1) return;
    if (!progress.live()) progress.line(text);
    if (folder != nullptr) folder->add_metric({{"step", to_json(step)}});
  };
  events.epoch = [=, &progress](const EpochReport& epoch) {
    progress.line(name + "  " + epoch_text(epoch, heads));
    for (const std::string& alarm : alarms(epoch.validation)) {
      progress.line(name + "  alarm: " + alarm);
    }
    if (folder != nullptr) folder->add_metric({{"epoch", to_json(epoch)}});
  };
  return events;
}

json config_json(const RunOptions& run, const ModelConfig& model, const TrainingConfig& training,
                 const TokenizedData& data, const json& options) {
  return {{"options", options},
          {"dataset", data.name},
          {"rows",
           {{"train", data.train.size()},
            {"validation", data.validation.size()},
            {"test", data.test.size()}}},
          {"tokenizer",
           {{"name", run.tokenizer.name},
            {"vocabulary", data.tokenizer->vocabulary_size()},
            {"min_count", run.tokenizer.min_count},
            {"max_length", run.tokenizer.max_length}}},
          {"model", to_json(model)},
          {"training", to_json(training)},
          {"environment", environment_json()}};
}

void copy_weights(Module& from, Module& to) {
  const std::vector<NamedParameter> source = from.named_parameters();
  Index next = 0;
  for (const NamedParameter& p : to.named_parameters()) {
    const Tensor& value = source.at(next++).variable->value();
    require(value.shape() == p.variable->value().shape(), "train: the model to begin with has \"",
            p.name, "\" ", value.shape(), ", expected ", p.variable->value().shape());
    p.variable->mutable_value() = value.clone();
  }
}

Dataset load_noted(const DatasetOptions& source, Progress& progress) {
  Dataset raw = load_data(source);
  for (const std::string& note : raw.notes) progress.line(raw.name + "  " + note);
  return raw;
}

TokenizedData announced(TokenizedData data, Progress& progress) {
  progress.line(join_parts(data.name, "  ", data.train.size(), " training, ",
                           data.validation.size(), " validation, ", data.test.size(),
                           " test rows, ", data.class_names.size(), " classes, vocabulary ",
                           data.tokenizer->vocabulary_size()));
  return data;
}

}  // namespace

TrainingRun train_run(const TokenizedData& data, const RunOptions& run, const ModelConfig& config,
                      const std::string& name, const std::string& out, const json& options,
                      Progress& progress, Model* start) {
  TrainingConfig training = run.training;
  training.seed = config.seed;
  TrainingRun result{make_model(config), {}, {}};
  if (start != nullptr) copy_weights(*start->net, *result.model.net);
  std::optional<RunFolder> folder;
  if (!out.empty()) folder.emplace(out, config_json(run, config, training, data, options));
  result.training = fit(result.model, data.train, data.validation, training,
                        events_for(progress, name, run.log_every, config.transformer.heads,
                                   folder ? &*folder : nullptr));
  for (const std::string& parameter : result.training.without_gradient) {
    progress.line(join_parts(name, "  warning: parameter \"", parameter,
                             "\" received no gradient in the last update"));
  }
  result.test = evaluate(result.model, data.test);
  progress.line(join_parts(name, "  best epoch ", result.training.best_epoch, "  test accuracy ",
                           fixed_digits(result.test.scores.accuracy, 4)));
  if (folder) {
    folder->save_model(result.model, *data.tokenizer, run.tokenizer, data.class_names);
    write_texts(folder->path() + "/test_texts.jsonl", result.test, data.test);
    folder->finish({{"test", to_json(result.test)},
                    {"training", to_json(result.training)},
                    {"class_names", data.class_names}});
  }
  return result;
}

TokenizedData load_tokenized(const DatasetOptions& source, const TokenizerConfig& tokenizer,
                             Progress& progress) {
  const Dataset raw = load_noted(source, progress);
  return announced(tokenize(raw, tokenizer), progress);
}

TokenizedData load_tokenized(const DatasetOptions& source, TrainedModel& trained,
                             Progress& progress) {
  const Dataset raw = load_noted(source, progress);
  require_data(raw.class_names == trained.class_names, "--dataset: ", raw.name,
               " has other classes than the trained model");
  return announced(tokenize(raw, std::move(trained.tokenizer), trained.max_length), progress);
}

}  // namespace bf
