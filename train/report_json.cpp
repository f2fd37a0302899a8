#include "train/report_json.h"

#include <nlohmann/json.hpp>

#include "tensor/gemm.h"
#include "tensor/kernels.h"
#include "tensor/openblas.h"
#include "tensor/parallel.h"
#include "train/text_json.h"

namespace bf {
namespace {

using nlohmann::json;

json to_json(const LayerReport& layer) {
  return {{"s_mean", layer.budget_mean},
          {"s_deviation", layer.budget_deviation},
          {"heads_mean", layer.heads_mean},
          {"entropy_mean_nats", layer.entropy_mean},
          {"saturated", layer.saturated},
          {"hidden_off", layer.hidden_off},
          {"dead_heads", layer.dead_heads},
          {"head_usage", layer.head_usage},
          {"heads_histogram", layer.heads_histogram}};
}

}  // namespace

json to_json(const Energy& energy) {
  return {{"joules", energy.joules},
          {"gco2", energy.gco2},
          {"cpu_seconds", energy.cpu_seconds},
          {"source", energy.source}};
}

json to_json(const Evaluation& evaluation) {
  if (!evaluation.record.empty()) return json::parse(evaluation.record);
  const double texts = static_cast<double>(evaluation.examples);
  json result = {
      {"examples", evaluation.examples},
      {"tokens", evaluation.tokens},
      {"accuracy", evaluation.scores.accuracy},
      {"macro_f1", evaluation.scores.macro_f1},
      {"class_f1", evaluation.scores.class_f1},
      {"loss", evaluation.loss},
      {"s_mean", evaluation.budget_mean()},
      {"executed_flops_per_text", static_cast<double>(evaluation.executed.total()) / texts},
      {"executed_attention_core_flops_per_text",
       static_cast<double>(evaluation.executed.attention) / texts},
      {"dense_flops_per_text", evaluation.dense_flops / texts},
      {"paper_flops_per_text", evaluation.paper_flops / texts},
      {"seconds", evaluation.seconds},
      {"energy", to_json(evaluation.energy)},
      {"peak_tensor_bytes", evaluation.peak_tensor_bytes},
      {"peak_process_bytes", evaluation.peak_process_bytes}};
  result["layers"] = json::array();
  for (const LayerReport& layer : evaluation.layers) result["layers"].push_back(to_json(layer));
  add_text_summary(evaluation.text_summary, result);
  return result;
}

json to_json(const StepReport& step) {
  json result = {{"step", step.step},
                 {"epoch", step.epoch},
                 {"examples", step.examples},
                 {"tokens", step.tokens},
                 {"loss", step.loss},
                 {"policy_loss", step.policy_loss},
                 {"gradient_norm", step.gradient_norm},
                 {"learning_rate", step.learning_rate},
                 {"seconds", step.seconds}};
  if (step.policy) {
    result["tau"] = step.policy->temperature;
    result["noise"] = step.policy->noise;
    result["price"] = step.policy->price;
    result["entropy_weight"] = step.policy->entropy;
    result["dense"] = step.policy->dense;
  }
  if (!step.skipped.empty()) result["skipped"] = step.skipped;
  if (step.spike) result["spike_above"] = *step.spike;
  return result;
}

json to_json(const EpochReport& epoch) {
  return {{"epoch", epoch.epoch},
          {"step", epoch.step},
          {"train_loss", epoch.train_loss},
          {"train_policy_loss", epoch.train_policy_loss},
          {"train_seconds", epoch.seconds},
          {"energy", to_json(epoch.energy)},
          {"validation", to_json(epoch.validation)},
          {"validation_soft_accuracy", epoch.soft_accuracy},
          {"skipped", epoch.skipped},
          {"loss_spikes", epoch.loss_spikes},
          {"first_spike", epoch.first_spike},
          {"without_gradient", epoch.without_gradient},
          {"alarms", epoch.alarms},
          {"policy_in_force", epoch.in_force},
          {"best", epoch.best}};
}

json to_json(const TrainingResult& training) {
  json epochs = json::array();
  for (const EpochReport& epoch : training.epochs) epochs.push_back(to_json(epoch));
  return {{"best_epoch", training.best_epoch},
          {"steps", training.steps},
          {"train_seconds", training.seconds},
          {"energy", to_json(training.energy)},
          {"skipped", training.skipped},
          {"without_gradient", training.without_gradient},
          {"epochs", epochs}};
}

json to_json(const TrainingConfig& config) {
  return {{"epochs", config.epochs},
          {"max_steps", config.max_steps},
          {"batch", config.batch},
          {"pass_tokens", config.pass_tokens},
          {"accumulate", config.accumulate},
          {"learning_rate", config.learning_rate.peak},
          {"warmup", config.learning_rate.warmup},
          {"decay", config.learning_rate.decay},
          {"floor", config.learning_rate.floor},
          {"beta1", config.adamw.beta1},
          {"beta2", config.adamw.beta2},
          {"epsilon", config.adamw.epsilon},
          {"weight_decay", config.adamw.weight_decay},
          {"clip", config.clip},
          {"label_smoothing", config.label_smoothing},
          {"patience", config.patience},
          {"on_nonfinite", config.on_nonfinite},
          {"seed", config.seed}};
}

json environment_json() {
  return {{"version", "0.1.0"},          {"compiler", __VERSION__},
          {"simd", simd_target_name()},  {"gemm_kernel", gemm_kernel_name()},
          {"openblas", openblas_name()}, {"threads", threads()}};
}

}  // namespace bf
