#include "train/report_from_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "nn/json_text.h"
#include "tensor/require.h"
#include "train/text_json.h"

namespace bf {
namespace {

using nlohmann::json;

/// The field `name` into `value`. JSON has no infinite numbers and no NaN: they stand as null.
template <typename Value>
void read(const json& from, const char* name, Value& value) {
  const auto found = from.is_object() ? from.find(name) : from.end();
  const bool there = from.is_object() && found != from.end();
  if constexpr (std::is_same_v<Value, double>) {
    if (there && found->is_null()) {
      value = std::numeric_limits<double>::quiet_NaN();
      return;
    }
  }
  require_data(there && read_exactly(*found, value), "report: \"", name,
               "\": missing or of the wrong type");
}

const json& part(const json& from, const char* name, bool array) {
  const auto found = from.is_object() ? from.find(name) : from.end();
  const bool right =
      from.is_object() && found != from.end() && (array ? found->is_array() : found->is_object());
  require_data(right, "report: \"", name, "\": missing or of the wrong type");
  return *found;
}

LayerReport layer_from_json(const json& from) {
  LayerReport layer;
  read(from, "s_mean", layer.budget_mean);
  read(from, "s_deviation", layer.budget_deviation);
  read(from, "heads_mean", layer.heads_mean);
  read(from, "entropy_mean_nats", layer.entropy_mean);
  read(from, "saturated", layer.saturated);
  read(from, "hidden_off", layer.hidden_off);
  read(from, "dead_heads", layer.dead_heads);
  read(from, "head_usage", layer.head_usage);
  read(from, "heads_histogram", layer.heads_histogram);
  return layer;
}

/// Whole numbers of operations that stand divided by the number of texts.
std::uint64_t operations(double per_text, double texts) {
  const double total = per_text * texts;
  require_data(total >= 0 && total < 9e18, "report: ", total, " operations");
  return static_cast<std::uint64_t>(std::llround(total));
}

/// Fields that runs of an earlier version lack keep their value.
template <typename Value>
void read_if_there(const json& from, const char* name, Value& value) {
  if (from.contains(name)) read(from, name, value);
}

template <typename List>
void require_size(const char* name, const List& list, Index size) {
  require_data(list.size() == size, "report: \"", name, "\" has ", list.size(),
               " values, expected ", size);
}

/// What tables take for granted.
void require_sizes(const Evaluation& evaluation, Index classes, Index heads) {
  require_size("class_f1", evaluation.scores.class_f1, classes);
  require_size("by_class", evaluation.text_summary.by_class, classes);
  for (const LayerReport& layer : evaluation.layers) {
    require_size("head_usage", layer.head_usage, heads);
    require_size("heads_histogram", layer.heads_histogram, heads + 1);
  }
  if (evaluation.layers.empty()) return;
  require_size("s_histogram", evaluation.text_summary.s_histogram, s_bins);
  for (const std::vector<Index>& bins : evaluation.text_summary.layer_s_histograms) {
    require_size("s_histogram", bins, s_bins);
  }
}

}  // namespace

Energy energy_from_json(const json& from) {
  Energy energy;
  read(from, "joules", energy.joules);
  read(from, "gco2", energy.gco2);
  read(from, "cpu_seconds", energy.cpu_seconds);
  read(from, "source", energy.source);
  return energy;
}

Evaluation evaluation_from_json(const json& from) {
  Evaluation result;
  double executed = 0, core = 0;
  read(from, "examples", result.examples);
  read(from, "tokens", result.tokens);
  read(from, "accuracy", result.scores.accuracy);
  read(from, "macro_f1", result.scores.macro_f1);
  read(from, "class_f1", result.scores.class_f1);
  read(from, "loss", result.loss);
  read(from, "executed_flops_per_text", executed);
  read(from, "executed_attention_core_flops_per_text", core);
  read(from, "dense_flops_per_text", result.dense_flops);
  read(from, "paper_flops_per_text", result.paper_flops);
  read(from, "seconds", result.seconds);
  read(from, "peak_tensor_bytes", result.peak_tensor_bytes);
  read(from, "peak_process_bytes", result.peak_process_bytes);
  const double texts = static_cast<double>(result.examples);
  result.executed.attention = operations(core, texts);
  const std::uint64_t all = operations(executed, texts);
  require_data(result.executed.attention <= all,
               "report: more operations in the attention core than in all");
  result.executed.linear = all - result.executed.attention;
  result.dense_flops *= texts;
  result.paper_flops *= texts;
  result.energy = energy_from_json(part(from, "energy", false));
  for (const json& layer : part(from, "layers", true)) {
    result.layers.push_back(layer_from_json(layer));
  }
  result.text_summary = text_summary_from_json(from);
  result.record = from.dump();
  return result;
}

EpochReport epoch_report_from_json(const json& from) {
  EpochReport report;
  read(from, "epoch", report.epoch);
  read(from, "step", report.step);
  read(from, "train_loss", report.train_loss);
  read(from, "train_policy_loss", report.train_policy_loss);
  read(from, "train_seconds", report.seconds);
  read(from, "validation_soft_accuracy", report.soft_accuracy);
  read(from, "policy_in_force", report.in_force);
  read(from, "best", report.best);
  read_if_there(from, "skipped", report.skipped);
  read_if_there(from, "loss_spikes", report.loss_spikes);
  read_if_there(from, "first_spike", report.first_spike);
  read_if_there(from, "without_gradient", report.without_gradient);
  read_if_there(from, "alarms", report.alarms);
  report.energy = energy_from_json(part(from, "energy", false));
  report.validation = evaluation_from_json(part(from, "validation", false));
  return report;
}

TrainingResult training_result_from_json(const json& from) {
  TrainingResult result;
  read(from, "best_epoch", result.best_epoch);
  read(from, "steps", result.steps);
  read(from, "train_seconds", result.seconds);
  result.energy = energy_from_json(part(from, "energy", false));
  read(from, "without_gradient", result.without_gradient);
  read_if_there(from, "skipped", result.skipped);
  for (const json& epoch : part(from, "epochs", true)) {
    result.epochs.push_back(epoch_report_from_json(epoch));
  }
  return result;
}

FinishedReports finished_reports(const json& summary, const std::string& path, Index classes,
                                 Index heads) {
  try {
    FinishedReports reports{training_result_from_json(part(summary, "training", false)),
                            evaluation_from_json(part(summary, "test", false))};
    require_sizes(reports.test, classes, heads);
    return reports;
  } catch (const std::runtime_error& error) {
    require_data(false, path, ": ", error.what());
    throw;
  }
}

}  // namespace bf
