#include "experiments/evaluation_text.h"

#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string totals(const Evaluation& e, Index heads) {
  const double texts = static_cast<double>(e.examples);
  const double executed = static_cast<double>(e.executed.total());
  const double core = static_cast<double>(e.executed.attention);
  return table(
      {{"measure", "value"},
       {"texts", std::to_string(e.examples)},
       {"tokens per text", fixed_digits(static_cast<double>(e.tokens) / texts, 1)},
       {"accuracy", fixed_digits(e.scores.accuracy, 4)},
       {"macro F1", fixed_digits(e.scores.macro_f1, 4)},
       {"loss", fixed_digits(e.loss, 4)},
       {"s mean", fixed_digits(e.budget_mean(), 3)},
       {"heads run, mean over layers",
        join_parts(fixed_digits(e.heads_mean(heads), 2), " of ", heads)},
       {"executed MFLOP per text", fixed_digits(executed / texts / 1e6, 3)},
       {"  of them attention core", fixed_digits(core / texts / 1e6, 3)},
       {"  relative to all heads", fixed_digits(100 * executed / e.dense_flops, 1) + " %"},
       {"paper accounting, relative", fixed_digits(100 * e.paper_flops / e.dense_flops, 1) + " %"},
       {"seconds per 1,000 texts", fixed_digits(1000 * e.seconds / texts, 3)},
       {"peak memory of tensors, MB",
        fixed_digits(static_cast<double>(e.peak_tensor_bytes) / 1e6, 1)},
       {"peak memory of the process, MB",
        fixed_digits(static_cast<double>(e.peak_process_bytes) / 1e6, 1)}});
}

std::string classes(const Evaluation& e, const std::vector<std::string>& names) {
  Rows rows = {{"class", "F1"}};
  for (Index c = 0; c < names.size(); ++c) {
    rows.push_back({names[c], fixed_digits(e.scores.class_f1[c], 4)});
  }
  return table(rows);
}

std::string layers(const Evaluation& e) {
  Rows rows = {{"layer", "s mean", "s deviation", "heads run", "entropy", "saturated", "dead heads",
                "share of texts that run head 1, 2, ..."}};
  for (Index i = 0; i < e.layers.size(); ++i) {
    const LayerReport& layer = e.layers[i];
    std::string usage;
    for (const double share : layer.head_usage) usage += ' ' + fixed_digits(share, 2);
    rows.push_back({std::to_string(i + 1), fixed_digits(layer.budget_mean, 3),
                    fixed_digits(layer.budget_deviation, 3), fixed_digits(layer.heads_mean, 2),
                    fixed_digits(layer.entropy_mean, 3),
                    fixed_digits(100 * layer.saturated, 1) + " %", std::to_string(layer.dead_heads),
                    usage});
  }
  return table(rows);
}

std::string histogram(const Evaluation& e) {
  std::vector<std::string> head = {"texts that run k heads, k ="};
  for (Index k = 1; k < e.layers.front().heads_histogram.size(); ++k) {
    head.push_back(std::to_string(k));
  }
  Rows rows = {head};
  for (Index i = 0; i < e.layers.size(); ++i) {
    std::vector<std::string> row = {"layer " + std::to_string(i + 1)};
    const std::vector<Index>& counts = e.layers[i].heads_histogram;
    for (Index k = 1; k < counts.size(); ++k) row.push_back(std::to_string(counts[k]));
    rows.push_back(row);
  }
  return table(rows);
}

}  // namespace

std::string evaluation_text(const Evaluation& evaluation,
                            const std::vector<std::string>& class_names, Index heads) {
  std::string text = totals(evaluation, heads) + '\n' + classes(evaluation, class_names);
  if (evaluation.layers.empty()) return text;
  return text + '\n' + layers(evaluation) + '\n' + histogram(evaluation);
}

}  // namespace bf
