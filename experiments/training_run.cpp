#include "experiments/training_run.h"

#include <optional>
#include <utility>

#include "experiments/run_identity.h"
#include "experiments/stop_signal.h"
#include "experiments/table.h"
#include "tensor/require.h"
#include "train/alarms.h"
#include "train/data_hash.h"
#include "train/report_from_json.h"
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

/// What is out of the ordinary about an update; empty when nothing is.
std::string news_text(const StepReport& step) {
  if (!step.skipped.empty()) return "skipped: " + step.skipped;
  if (!step.spike) return "";
  return join_parts("alarm: the loss spikes at step ", step.step, ": ", fixed_digits(step.loss, 4),
                    " after a level of ", fixed_digits(*step.spike, 4));
}

/// Lines on the progress display, and objects in the folder if there is one. Steps out of the
/// ordinary are always among them; alarms are shown when they are new, and stand in every object.
TrainingEvents events_for(Progress& progress, const std::string& name, Index log_every, Index heads,
                          RunFolder* folder, std::vector<std::string> alarms_before) {
  TrainingEvents events;
  events.step = [=, &progress](const StepReport& step, Index total) {
    const std::string text = name + "  " + step_text(step, total);
    const std::string news = news_text(step);
    if (!news.empty()) progress.line(name + "  " + news);
    if (progress.live()) progress.update(text);
    if (step.step % log_every != 0 && step.step != 1 && news.empty()) return;
    if (!progress.live() && step.skipped.empty()) progress.line(text);
    if (folder != nullptr) folder->add_metric({{"step", to_json(step)}});
  };
  events.epoch = [=, &progress,
                  before = std::move(alarms_before)](const EpochReport& epoch) mutable {
    progress.line(name + "  " + epoch_text(epoch, heads));
    for (const std::string& alarm : new_alarms(epoch.alarms, before)) {
      progress.line(join_parts(name, "  alarm: ", alarm));
    }
    before = epoch.alarms;
    if (folder != nullptr) folder->add_metric({{"epoch", to_json(epoch)}});
  };
  return events;
}

json data_json(const DatasetOptions& source, const TokenizerConfig& tokenizer,
               const TokenizedData& data) {
  return {{"hash", data_hash(data)},
          {"dataset", source.name},
          {"train-rows", source.train_rows},
          {"validation-fraction", source.validation_fraction},
          {"data-seed", source.seed},
          {"skip-bad-rows", source.skip_bad_rows},
          {"encoding", source.encoding},
          {"text-columns", json(source.text_columns).dump()},
          {"second-column", source.second_column},
          {"label-column", source.label_column},
          {"delimiter", source.delimiter},
          {"no-header", source.no_header},
          {"class-names", json(source.class_names).dump()},
          {"rows", source.rows},
          {"difficulty", source.difficulty},
          {"tokenizer", tokenizer.name},
          {"vocab-size", tokenizer.vocabulary},
          {"min-count", tokenizer.min_count},
          {"max-len", tokenizer.max_length}};
}

json config_json(const RunOptions& run, const ModelConfig& model, const TrainingConfig& training,
                 const TokenizedData& data, const json& options) {
  return {{"options", options},
          {"dataset", data.name},
          {"data", data_json(run.data, run.tokenizer, data)},
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

/// A run that is complete, from its folder.
TrainingRun finished_run(const std::string& out, Index classes, Index heads) {
  TrainingRun result;
  result.summary = run_summary(out);
  result.model = std::move(load_run(out).model);
  FinishedReports reports = finished_reports(result.summary, out + "/summary.json", classes, heads);
  result.training = std::move(reports.training);
  result.test = std::move(reports.test);
  return result;
}

/// Begins the run or finds where it stopped.
std::optional<Checkpoint> open_run(RunFolder& folder, const json& config, bool resume,
                                   const std::string& name, Progress& progress) {
  const std::string& out = folder.path();
  if (!resume || folder_state(out) == FolderState::empty) {
    folder.begin(config);
    return {};
  }
  const json before = run_config(out);
  require_same_run(out, before, config);
  const auto note = [&](const std::string& text) { progress.line(name + "  " + text); };
  for (const std::string& change : environment_changes(before, config)) note("note: " + change);
  auto checkpoint =
      folder.checkpoints().newest([&](const std::string& why) { note("warning: " + why); });
  if (!checkpoint) {
    note("was interrupted before its first checkpoint and begins again");
    folder.resume(0);
    return {};
  }
  require_data(checkpoint->run == identity_text(config), folder.checkpoints().path(),
               ": its checkpoints belong to another run");
  folder.resume(checkpoint->metrics_bytes);
  note(join_parts("goes on after step ", checkpoint->state.trainer.step));
  return checkpoint;
}

/// Trains until the end, a signal, or something that is not finite.
TrainingResult train(Model& model, const TokenizedData& data, const TrainingConfig& training,
                     TrainingEvents events, const TrainingState* from, const RunFolder* folder) {
  const StopSignals signals;
  events.stop = [&signals] { return signals.received() != 0; };
  try {
    return fit(model, data.train, data.validation, training, events, from);
  } catch (const TrainingStopped& stopped) {
    throw Interrupted(
        join_parts(stopped.what(), folder == nullptr ? "; without --out nothing is kept"
                                                     : "; --resume goes on in " + folder->path()),
        signals.received());
  } catch (const NonFinite& fault) {
    throw NonFinite(join_parts(fault.what(), "; ",
                               folder == nullptr ? "without --out there is no checkpoint"
                                                 : folder->checkpoints().newest_text()));
  }
}

/// Tests the model and, if there is a folder, completes it.
void finish(TrainingRun& run, const TokenizedData& data, const TokenizerConfig& tokenizer,
            const std::string& name, RunFolder* folder, Progress& progress) {
  for (const std::string& parameter : run.training.without_gradient) {
    progress.line(join_parts(name, "  warning: parameter \"", parameter,
                             "\" received no gradient in the last update"));
  }
  run.test = evaluate(run.model, data.test);
  progress.line(join_parts(name, "  best epoch ", run.training.best_epoch, "  test accuracy ",
                           fixed_digits(run.test.scores.accuracy, 4)));
  run.summary = {{"test", to_json(run.test)},
                 {"training", to_json(run.training)},
                 {"class_names", data.class_names},
                 {"environment", environment_json()}};
  if (folder == nullptr) return;
  folder->save_model(run.model, *data.tokenizer, tokenizer, data.class_names);
  write_texts(folder->path() + "/test_texts.jsonl", run.test, data.test);
  folder->finish(run.summary);
}

}  // namespace

TrainingRun train_run(const TokenizedData& data, const RunOptions& run, const ModelConfig& config,
                      const std::string& name, const std::string& out, const json& options,
                      Progress& progress, Model* start) {
  TrainingConfig training = run.training;
  training.seed = config.seed;
  json asked = config_json(run, config, training, data, options);
  if (start != nullptr) asked["start_weights"] = weights_hash(*start->net);
  const auto complete = [&] { return run.resume && folder_state(out) == FolderState::finished; };
  std::optional<RunFolder> folder;
  // A complete run is read without the lock, which a folder that cannot be written would refuse.
  if (!out.empty() && !(complete() && RunFolder::is_tidy(out))) folder.emplace(out);
  // Another process may have completed it until the lock was ours.
  if (complete()) {
    require_same_run(out, run_config(out), asked);
    if (folder) folder->tidy();
    progress.line(join_parts(name, "  is complete in ", out));
    return finished_run(out, data.class_names.size(), config.transformer.heads);
  }
  std::optional<Checkpoint> checkpoint;
  if (folder) checkpoint = open_run(*folder, asked, run.resume, name, progress);
  RunFolder* const kept = folder ? &*folder : nullptr;
  TrainingRun result{make_model(config), {}, {}, {}};
  if (start != nullptr && !checkpoint) copy_weights(*start->net, *result.model.net);
  std::vector<std::string> before;  // alarms of the epoch before the next
  if (checkpoint && !checkpoint->state.epochs.empty())
    before = checkpoint->state.epochs.back().alarms;
  TrainingEvents events =
      events_for(progress, name, run.log_every, config.transformer.heads, kept, std::move(before));
  if (kept != nullptr) {
    events.save_every = run.checkpoint_every;
    events.save = [kept, identity = identity_text(asked)](const TrainingState& state) {
      kept->checkpoints().save({state, identity, kept->metrics_bytes()});
    };
  }
  result.training = train(result.model, data, training, std::move(events),
                          checkpoint ? &checkpoint->state : nullptr, kept);
  finish(result, data, run.tokenizer, name, kept, progress);
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
