#include "train/text_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "nn/atomic_file.h"
#include "nn/json_text.h"
#include "tensor/require.h"
#include "train/synthetic.h"

namespace bf {
namespace {

using nlohmann::json;

double rounded(double value) { return std::round(value * 1e6) / 1e6; }

/// Calls visit(name, field) for every field of a group: one list for both ways.
template <typename Group, typename Visit>
void visit_group(Group& group, Visit visit) {
  visit("name", group.name);
  visit("examples", group.examples);
  visit("accuracy", group.accuracy);
  visit("loss", group.loss);
  visit("tokens_mean", group.tokens_mean);
  visit("s_mean", group.s_mean);
  visit("heads_mean_total", group.heads_mean_total);
  visit("head_usage", group.head_usage);
}

template <typename Summary, typename Visit>
void visit_correlations(Summary& summary, Visit visit) {
  visit("spearman_difficulty_heads", summary.difficulty_heads);
  visit("spearman_difficulty_s", summary.difficulty_s);
  visit("spearman_heads_loss", summary.heads_loss);
  visit("spearman_heads_length", summary.heads_length);
  visit("spearman_s_loss", summary.s_loss);
  visit("spearman_s_length", summary.s_length);
}

json to_json(const GroupSummary& group) {
  json result;
  visit_group(group, [&](const char* name, const auto& value) { result[name] = value; });
  return result;
}

json to_json(const std::vector<GroupSummary>& groups) {
  json result = json::array();
  for (const GroupSummary& group : groups) result.push_back(to_json(group));
  return result;
}

/// A whole number is not taken from -1 or 1e300, for which the library itself has no rule.
template <typename Value>
void read(const json& from, const char* name, Value& value) {
  const bool there = from.is_object() && from.contains(name);
  require_data(there && read_exactly(from.at(name), value), "report: groups of texts: \"", name,
               "\": missing or of the wrong type");
}

GroupSummary group_from(const json& from) {
  GroupSummary group;
  visit_group(group, [&](const char* name, auto& value) { read(from, name, value); });
  return group;
}

std::vector<GroupSummary> groups_from(const json& evaluation, const char* name) {
  std::vector<GroupSummary> groups;
  if (!evaluation.contains(name)) return groups;
  for (const json& group : evaluation.at(name)) groups.push_back(group_from(group));
  return groups;
}

}  // namespace

void add_text_summary(const TextSummary& summary, json& evaluation) {
  evaluation["by_class"] = to_json(summary.by_class);
  if (!summary.by_difficulty.empty()) {
    evaluation["by_difficulty"] = to_json(summary.by_difficulty);
    evaluation["by_kind"] = to_json(summary.by_kind);
  }
  if (!summary.cheapest) return;  // no budgets
  evaluation["cheapest_tenth"] = to_json(*summary.cheapest);
  evaluation["dearest_tenth"] = to_json(*summary.dearest);
  evaluation["s_histogram"] = summary.s_histogram;
  for (Index i = 0; i < summary.layer_s_histograms.size(); ++i) {
    evaluation["layers"][i]["s_histogram"] = summary.layer_s_histograms[i];
  }
  visit_correlations(summary, [&](const char* name, const std::optional<double>& value) {
    if (value) evaluation[name] = *value;
  });
}

TextSummary text_summary_from_json(const json& evaluation) {
  TextSummary summary;
  summary.by_class = groups_from(evaluation, "by_class");
  summary.by_difficulty = groups_from(evaluation, "by_difficulty");
  summary.by_kind = groups_from(evaluation, "by_kind");
  if (!evaluation.contains("cheapest_tenth")) return summary;
  summary.cheapest = group_from(evaluation.at("cheapest_tenth"));
  summary.dearest = group_from(evaluation.value("dearest_tenth", json()));
  read(evaluation, "s_histogram", summary.s_histogram);
  for (const json& layer : evaluation.value("layers", json::array())) {
    read(layer, "s_histogram", summary.layer_s_histograms.emplace_back());
  }
  visit_correlations(summary, [&](const char* name, std::optional<double>& value) {
    if (evaluation.contains(name)) read(evaluation, name, value.emplace());
  });
  return summary;
}

json text_json(const Evaluation& evaluation, const TokenizedSplit& split, Index text) {
  const TextRecords& records = evaluation.texts;
  json result = {{"index", text},
                 {"label", split.labels[text]},
                 {"prediction", evaluation.predictions[text]},
                 {"loss", rounded(records.losses[text])},
                 {"tokens", split.tokens[text].size()}};
  if (!split.difficulties.empty()) {
    result["difficulty"] = to_string(static_cast<Difficulty>(split.difficulties[text]));
    result["kind"] = to_string(static_cast<SyntheticKind>(split.kinds[text]));
  }
  if (!records.has_budgets()) return result;
  result["s"] = result["heads"] = json::array();
  for (Index layer = 0; layer < records.layers(); ++layer) {
    result["s"].push_back(rounded(records.budget(text, layer)));
    json heads = json::array();
    for (Index h = 0; h < records.heads(); ++h) {
      if (records.runs(text, layer, h)) heads.push_back(h);
    }
    result["heads"].push_back(std::move(heads));
  }
  return result;
}

void write_texts(const std::string& path, const Evaluation& evaluation,
                 const TokenizedSplit& split) {
  std::string lines;
  for (Index text = 0; text < split.size(); ++text) {
    lines += text_json(evaluation, split, text).dump() + '\n';
  }
  write_whole_file(path, lines);
}

}  // namespace bf
