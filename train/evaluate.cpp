#include "train/evaluate.h"

#include "autograd/log_softmax.h"
#include "budgetformer/cost_model.h"
#include "tensor/allocator.h"
#include "tensor/clock.h"
#include "tensor/reduce.h"
#include "tensor/require.h"
#include "train/nonfinite.h"

namespace bf {
namespace {

/// Puts the model into evaluation for a while.
class EvaluationMode {
 public:
  EvaluationMode(Model& model, bool soft_gates) : model_(model), training_(model.net->training()) {
    model_.net->train(false);
    if (model_.budget == nullptr) return;
    model_.budget->use_soft_gates(soft_gates);
    model_.budget->reset_statistics();
  }
  ~EvaluationMode() {
    if (model_.budget != nullptr) model_.budget->use_soft_gates(false);
    model_.net->train(training_);
  }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  Model& model_;
  bool training_;
  NoGrad no_grad_;
};

/// Adds one batch's predictions, losses and choices of heads.
void add_batch(const Model& model, const Tensor& logits, const Batch& batch, Evaluation& result) {
  const Index bad = first_non_finite(logits);
  if (bad < logits.size()) {
    throw NonFinite(join_parts("evaluate: logit ", bad % logits.dim(1), " of text ",
                               batch.examples[bad / logits.dim(1)], " is ",
                               non_finite_kind(static_cast<double>(logits[bad]))));
  }
  const Tensor logs = log_softmax(Variable(logits)).value();  // [B, classes]
  for (Index b = 0; b < batch.size(); ++b) {
    const Real* row = logs.row(b);
    const Index text = batch.examples[b];
    result.predictions[text] = argmax(row, logs.dim(1));
    result.texts.losses[text] = -static_cast<double>(row[batch.labels[b]]);
    for (Index i = 0; model.budget != nullptr && i < model.budget->layers(); ++i) {
      result.texts.note(model.budget->attention(i).selection(), b, text, i);
    }
    result.loss += result.texts.losses[text];
  }
}

LayerReport report_of(const LayerStatistics& statistics) {
  return {.budget_mean = statistics.budget_mean(),
          .budget_deviation = statistics.budget_deviation(),
          .heads_mean = statistics.heads_mean(),
          .entropy_mean = statistics.entropy_mean(),
          .saturated = statistics.saturated(),
          .hidden_off = statistics.hidden_off(),
          .dead_heads = statistics.dead_heads(),
          .head_usage = statistics.head_usage(),
          .heads_histogram = statistics.heads_histogram()};
}

/// Adds what a dense model would have executed for one batch; returns its attention core.
double add_dense_cost(const TransformerConfig& config, const Segments& segments,
                      Evaluation& result) {
  const Flops dense = dense_flops(config, segments);
  result.tokens += segments.tokens();
  result.dense_flops += static_cast<double>(dense.total());
  return static_cast<double>(dense.attention);
}

}  // namespace

double Evaluation::budget_mean() const {
  if (layers.empty()) return 1;
  double sum = 0;
  for (const LayerReport& layer : layers) sum += layer.budget_mean;
  return sum / static_cast<double>(layers.size());
}

double Evaluation::heads_mean(Index heads) const {
  if (layers.empty()) return static_cast<double>(heads);
  double sum = 0;
  for (const LayerReport& layer : layers) sum += layer.heads_mean;
  return sum / static_cast<double>(layers.size());
}

Evaluation evaluate(Model& model, const TokenizedSplit& split, Index batch, bool soft_gates) {
  require(split.size() > 0, "evaluate: the split is empty");
  const EvaluationMode mode(model, soft_gates);
  Evaluation result;
  result.examples = split.size();
  result.predictions.resize(split.size());
  const TransformerConfig& shape = model.config.transformer;
  result.texts = TextRecords(split.size(), shape.layers, shape.heads, model.budget != nullptr);
  // Weights that an earlier use keeps rearranged are made again, so that each evaluation counts
  // them.
  for (const NamedParameter& p : model.net->named_parameters()) p.variable->mutable_value();
  reset_peak_memory();
  const Index before_bytes = memory_stats().live_bytes;
  const Flops before = executed_flops();
  double core = 0;
  EnergyMeter meter;
  const auto start = Clock::now();
  for (const auto& examples : evaluation_plan(split, batch, default_pass_tokens)) {
    const Batch packed = make_batch(split, examples);
    add_batch(model, model.net->forward(packed.tokens, packed.segments).value(), packed, result);
    core += add_dense_cost(shape, packed.segments, result);
  }
  result.seconds = seconds_since(start);
  result.energy = meter.read();
  result.executed = executed_flops() - before;
  result.peak_tensor_bytes =
      memory_stats().peak_bytes - before_bytes + model.net->parameter_count() * sizeof(Real);
  result.peak_process_bytes = peak_process_bytes();
  result.loss /= static_cast<double>(split.size());
  result.scores = score(result.predictions, split.labels, shape.classes);
  for (Index i = 0; model.budget != nullptr && i < model.budget->layers(); ++i) {
    result.layers.push_back(report_of(model.budget->attention(i).statistics()));
  }
  result.text_summary = summarise_texts(result.texts, result.predictions, split, shape.classes);
  result.paper_flops = result.dense_flops - (1 - result.budget_mean()) * core;
  return result;
}

}  // namespace bf
