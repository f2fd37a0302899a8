#include "experiments/evaluation_text.h"

#include "experiments/table.h"
#include "tensor/printable.h"
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
       {"joules per 1,000 texts", fixed_digits(1000 * e.energy.joules / texts, 3)},
       {"mg of CO2 per 1,000 texts", fixed_digits(1e6 * e.energy.gco2 / texts, 3)},
       {"peak memory of tensors, MB",
        fixed_digits(static_cast<double>(e.peak_tensor_bytes) / 1e6, 1)},
       {"peak memory of the process, MB",
        fixed_digits(static_cast<double>(e.peak_process_bytes) / 1e6, 1)}});
}

/// The cells of a group of texts behind its name.
std::vector<std::string> group_cells(const GroupSummary& group) {
  const bool any = group.examples > 0;
  const auto show = [any](double value, int digits) {
    return any ? fixed_digits(value, digits) : std::string("-");
  };
  return {std::to_string(group.examples), show(group.accuracy, 4), show(group.loss, 4),
          show(group.tokens_mean, 1),     show(group.s_mean, 3),   show(group.heads_mean_total, 2)};
}

std::string classes(const Evaluation& e, const std::vector<std::string>& names) {
  Rows rows = {
      {"class", "F1", "texts", "accuracy", "loss", "tokens", "s mean", "heads, sum of layers"}};
  for (Index c = 0; c < names.size(); ++c) {
    rows.push_back({names[c], fixed_digits(e.scores.class_f1[c], 4)});
    const std::vector<std::string> cells = group_cells(e.text_summary.by_class.at(c));
    rows.back().insert(rows.back().end(), cells.begin(), cells.end());
  }
  return table(rows);
}

/// Texts by difficulty and kind, and the tenths that ran the fewest and the most heads; empty if
/// there is none of these.
std::string groups(const TextSummary& summary) {
  Rows rows = {{"texts", "count", "accuracy", "loss", "tokens", "s mean", "heads, sum of layers"}};
  const auto add = [&rows](const std::string& what, const GroupSummary& group) {
    rows.push_back({what + group.name});
    const std::vector<std::string> cells = group_cells(group);
    rows.back().insert(rows.back().end(), cells.begin(), cells.end());
  };
  for (const GroupSummary& group : summary.by_difficulty) add("difficulty ", group);
  for (const GroupSummary& group : summary.by_kind) add("kind ", group);
  if (summary.cheapest) add("", *summary.cheapest);
  if (summary.dearest) add("", *summary.dearest);
  return rows.size() > 1 ? '\n' + table(rows) : "";
}

std::string correlations(const TextSummary& summary) {
  const auto show = [](const std::optional<double>& value) {
    return value ? fixed_digits(*value, 3) : std::string("-");
  };
  Rows rows = {{"Spearman's rank correlation with", "heads, sum of layers", "s mean"},
               {"loss", show(summary.heads_loss), show(summary.s_loss)},
               {"length in tokens", show(summary.heads_length), show(summary.s_length)}};
  if (!summary.by_difficulty.empty()) {
    rows.push_back({"difficulty", show(summary.difficulty_heads), show(summary.difficulty_s)});
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

std::string heads_histogram(const Evaluation& e) {
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

std::string s_histogram(const TextSummary& summary) {
  std::vector<std::string> head = {"texts with s from"};
  for (Index i = 0; i < s_bins; ++i) head.push_back("0." + std::to_string(i));
  Rows rows = {head};
  const auto add = [&rows](const std::string& name, const std::vector<Index>& counts) {
    rows.push_back({name});
    for (const Index count : counts) rows.back().push_back(std::to_string(count));
  };
  for (Index i = 0; i < summary.layer_s_histograms.size(); ++i) {
    add("layer " + std::to_string(i + 1), summary.layer_s_histograms[i]);
  }
  add("mean of layers", summary.s_histogram);
  return table(rows);
}

}  // namespace

std::string evaluation_text(const Evaluation& evaluation,
                            const std::vector<std::string>& class_names, Index heads) {
  const TextSummary& summary = evaluation.text_summary;
  std::string text = totals(evaluation, heads) + "energy: " + printable(evaluation.energy.source) +
                     "\n\n" + classes(evaluation, class_names) + groups(summary);
  if (evaluation.layers.empty()) return text;
  return text + '\n' + correlations(summary) + '\n' + layers(evaluation) + '\n' +
         heads_histogram(evaluation) + '\n' + s_histogram(summary);
}

}  // namespace bf
