#include "experiments/study_charts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "experiments/run_record.h"
#include "experiments/sample.h"
#include "experiments/study_tables.h"
#include "experiments/study_variants.h"
#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// One more point of a curve: the mean, and a standard deviation to each side.
void add_point(Curve& curve, double x, const std::vector<double>& values, double factor = 1) {
  const double mean = factor * mean_of(values);
  const double deviation = factor * deviation_of(values);
  curve.x.push_back(x);
  curve.y.push_back(mean);
  curve.low.push_back(std::isfinite(deviation) ? mean - deviation : mean);
  curve.high.push_back(std::isfinite(deviation) ? mean + deviation : mean);
}

Curve empty_curve(const std::string& label, CurveStyle style, Colour colour) {
  return {label, {}, {}, {}, {}, style, colour};
}

Curve straight(const std::string& label, double x0, double y0, double x1, double y1,
               Colour colour = Colour::grey) {
  return {label, {x0, x1}, {y0, y1}, {}, {}, CurveStyle::dashed, colour};
}

Colour turn(Index index) { return static_cast<Colour>(index % colour_count); }

/// Shifts the curves apart, so that whiskers at one x stand side by side.
void side_by_side(Chart& chart, double step) {
  const auto count = static_cast<double>(chart.curves.size());
  for (Index i = 0; i < chart.curves.size(); ++i) {
    const double shift = (static_cast<double>(i) - (count - 1) / 2) * step;
    for (double& x : chart.curves[i].x) x += shift;
  }
}

/// The same for a chart with names on its axis.
void side_by_side(Chart& chart) {
  const double step = 0.8 / std::max(1.0, static_cast<double>(chart.curves.size()));
  side_by_side(chart, step);
  chart.bar_width = 0.85 * step;
}

/// The variants but the reference, in order.
std::vector<std::string> variants(const StudyPart& part) {
  std::vector<std::string> names;
  for (const StudyGroup& group : part.groups) {
    const bool known = std::find(names.begin(), names.end(), group.variant) != names.end();
    if (group.variant != "mha" && !known) names.push_back(group.variant);
  }
  return names;
}

/// One colour for a variant in all the pictures that have a curve for each variant.
Colour colour_of(const StudyPart& part, const std::string& variant) {
  if (variant == "mha") return Colour::grey;
  const std::vector<std::string> names = variants(part);
  return turn(static_cast<Index>(std::find(names.begin(), names.end(), variant) - names.begin()));
}

/// A value of each variant on each data set, the data sets along the axis.
Chart by_dataset(const StudyPart& part, const std::string& label, CurveStyle style,
                 const std::function<std::vector<double>(const StudyGroup&)>& values, double factor,
                 bool shifted = true) {
  Chart chart{.x_label = "", .y_label = label};
  chart.categories = part.datasets();
  for (const std::string& variant : variants(part)) {
    Curve curve = empty_curve(variant, style, colour_of(part, variant));
    for (Index i = 0; i < chart.categories.size(); ++i) {
      const StudyGroup* group = part.find(chart.categories[i], variant);
      if (group != nullptr) add_point(curve, static_cast<double>(i), values(*group), factor);
    }
    chart.curves.push_back(curve);
  }
  if (shifted) side_by_side(chart);
  chart.height = 360;
  return chart;
}

/// A value of each variant for each name under `field`; heads of those only that choose them.
Chart by_name(const StudyPart& part, const std::string& field, const std::string& value,
              const std::string& label, double factor) {
  Chart chart{.x_label = "", .y_label = label};
  chart.categories = names_in(part, field);
  const bool accuracy = value == "accuracy";
  for (const StudyGroup& group : part.groups) {
    if (!accuracy && !group.runs.front().budgets()) continue;
    Curve curve = empty_curve(group.variant, accuracy ? CurveStyle::points : CurveStyle::bars,
                              colour_of(part, group.variant));
    for (Index i = 0; i < chart.categories.size(); ++i) {
      const auto measure = [&](const StudyRun& run) {
        return grouped_value(run, field, chart.categories[i], value);
      };
      add_point(curve, static_cast<double>(i), group.values(measure), factor);
    }
    if (std::isfinite(mean_of(curve.y))) chart.curves.push_back(curve);
  }
  chart.from_zero = !accuracy;
  side_by_side(chart);
  chart.height = 360;
  return chart;
}

/// FLOPs and time saved by each variant, in percent.
Chart saved_chart(const StudyPart& part) {
  const auto saved = [&](const Measure& measure) {
    return by_dataset(
        part, "saved (%)", CurveStyle::bars,
        [&](const StudyGroup& group) {
          std::vector<double> values = ratios(group, part.reference(group), measure);
          for (double& share : values) share = 1 - share;
          return values;
        },
        100, false);
  };
  Chart chart = saved(executed_of);
  const Chart times = saved(seconds_of);
  for (Curve& curve : chart.curves) curve.label += ": FLOPs", curve.colour = Colour::grey;
  for (Index i = 0; i < times.curves.size(); ++i) {
    Curve curve = times.curves[i];
    curve.label += ": time";
    chart.curves.insert(chart.curves.begin() + static_cast<std::ptrdiff_t>(2 * i + 1), curve);
  }
  chart.from_zero = true;
  chart.width = 1190;
  side_by_side(chart);
  return chart;
}

/// Where a budget was put on a model after training; label by the model's training.
std::string budget_family(const std::string& variant) {
  const std::string family = family_of(variant);
  if (family == variant) return "";
  if (family == "budget") return "without jitter";
  if (family == "jitter-budget") return "with jitter";
  return family;
}

/// y against the budget of each family, and the learned budgets as points of their own.
Chart budget_chart(const StudyPart& part, const std::string& dataset, const std::string& label,
                   const std::function<std::vector<double>(const StudyGroup&)>& values,
                   double factor) {
  Chart chart{.x_label = "budget s put on the model (share of the heads)", .y_label = label};
  std::map<std::string, Index> families;
  const auto curve_of = [&](const std::string& name, CurveStyle style, Colour colour) -> Curve& {
    if (families.emplace(name, chart.curves.size()).second) {
      chart.curves.push_back(empty_curve(name, style, colour));
    }
    return chart.curves[families[name]];
  };
  for (const StudyGroup& group : part.groups) {
    const std::string family = budget_family(group.variant);
    if (group.dataset != dataset || family.empty()) continue;
    const bool jitter = group.variant.find("jitter") != std::string::npos;
    add_point(curve_of(family, CurveStyle::line_points, jitter ? Colour::vermillion : Colour::blue),
              number_in(group.variant), values(group), factor);
  }
  for (const char* learned : {"budget", "jitter"}) {
    const StudyGroup* group = part.find(dataset, learned);
    if (group == nullptr) continue;
    const double s = group->mean([](const StudyRun& run) { return run.test("s_mean"); });
    const bool jitter = std::string(learned) == "jitter";
    add_point(curve_of(jitter ? "learned, with jitter" : "learned budget", CurveStyle::points,
                       jitter ? Colour::orange : Colour::black),
              s, values(*group), factor);
  }
  return chart;
}

Chart scaling_chart(const StudyPart& part, const std::string& what, const std::string& label) {
  Chart chart{.x_label = label, .y_label = "mean budget s, end of training"};
  for (const std::string& dataset : part.datasets()) {
    Curve curve = empty_curve(dataset, CurveStyle::line_points, turn(chart.curves.size()));
    for (const StudyGroup* group : scaling_groups(part, dataset, what)) {
      add_point(curve, number_in(group->variant), group->values(final_budget));
    }
    if (!curve.x.empty()) chart.curves.push_back(curve);
  }
  chart.from_zero = true;
  chart.log_x = what == "rows";
  return chart;
}

/// "1", "1.39"
std::string heads_name(const StudyGroup& group) {
  const double heads = group.mean(heads_of);
  const std::string digits = fixed_digits(heads, 2);
  return digits.ends_with(".00") ? fixed_digits(heads, 0) : digits;
}

/// Accuracy against a cost in percent of the reference's, variants of a family in one colour, with
/// the heads that they run.
Chart opponent_chart(const StudyPart& part, const std::string& dataset, const std::string& label,
                     const Measure& cost) {
  Chart chart{.x_label = label, .y_label = "accuracy (%)"};
  std::map<std::string, Index> families;
  for (const StudyGroup& group : part.groups) {
    if (group.dataset != dataset) continue;
    const std::string family = family_of(group.variant);
    if (families.emplace(family, chart.curves.size()).second) {
      chart.curves.push_back(empty_curve(family, CurveStyle::points, turn(chart.curves.size())));
    }
    Curve& curve = chart.curves[families[family]];
    add_point(curve, 100 * mean_of(ratios(group, part.reference(group), cost)),
              group.values(accuracy_of), 100);
    curve.names.push_back(heads_name(group));
  }
  chart.width = 760, chart.height = 420;
  return chart;
}

/// A field of the epochs of training, mean over the runs that got so far.
Curve epoch_curve(const StudyGroup& group, const std::string& field, const std::string& label,
                  CurveStyle style, Colour colour) {
  std::map<double, std::vector<double>> values;
  for (const StudyRun& run : group.runs) {
    const nlohmann::json::json_pointer epochs("/training/epochs");
    if (!run.record.contains(epochs)) continue;
    for (const nlohmann::json& epoch : run.record.at(epochs)) {
      values[number_at(epoch, "/epoch")].push_back(number_at(epoch, '/' + field));
    }
  }
  Curve curve = empty_curve(label, style, colour);
  for (const auto& [epoch, of_runs] : values) {
    curve.x.push_back(epoch), curve.y.push_back(100 * mean_of(of_runs));
  }
  return curve;
}

/// Validation accuracy with the selected heads and with the soft gates, of the estimators.
Chart gate_chart(const StudyPart& part, const std::string& dataset) {
  Chart chart{.x_label = "training epoch", .y_label = "validation accuracy (%)"};
  for (const char* variant : {"budget", "relaxed", "paper-estimator"}) {
    const StudyGroup* group = part.find(dataset, variant);
    if (group == nullptr) continue;
    const Colour colour = turn(chart.curves.size() / 2);
    const std::string name = variant;
    chart.curves.push_back(epoch_curve(*group, "validation_accuracy", name + ", selected heads",
                                       CurveStyle::line_points, colour));
    chart.curves.push_back(epoch_curve(*group, "validation_soft_accuracy", name + ", soft gates",
                                       CurveStyle::dashed, colour));
  }
  chart.width = 760, chart.height = 400;
  return chart;
}

}  // namespace

std::vector<Figure> main_figures(const StudyPart& part) {
  Chart accuracy = by_dataset(
      part, "accuracy - accuracy of mha (points)", CurveStyle::points,
      [&](const StudyGroup& group) {
        return differences(group, part.reference(group), accuracy_of);
      },
      100);
  const double last = static_cast<double>(accuracy.categories.size()) - 0.4;
  if (accuracy.has_data()) accuracy.curves.push_back(straight("", -0.6, 0, last, 0));
  Chart heads = by_dataset(
      part, "heads run per layer", CurveStyle::bars,
      [](const StudyGroup& group) { return group.values(heads_of); }, 1);
  heads.from_zero = true;
  return {
      {"Accuracy against multi-head attention: above the dashed line it is better. Whiskers: one "
       "standard deviation over seeds.",
       accuracy},
      {"Heads that run in a layer, on average over texts.", heads},
      {"Does the clock see what the FLOPs promise? All of it where both bars are of one height; "
       "more "
       "where what was saved ran at a lower rate than the rest.",
       saved_chart(part)}};
}

std::vector<Figure> mixed_figures(const StudyPart& part) {
  return {{"Heads by difficulty: a budget that follows the input rises from left to right.",
           by_name(part, "by_difficulty", "heads_mean_total", "heads run, all layers", 1)},
          {"What that buys: accuracy by difficulty.",
           by_name(part, "by_difficulty", "accuracy", "accuracy (%)", 100)},
          {"Heads by kind of task.",
           by_name(part, "by_kind", "heads_mean_total", "heads run, all layers", 1)},
          {"Accuracy by kind of task.", by_name(part, "by_kind", "accuracy", "accuracy (%)", 100)}};
}

std::vector<Figure> ablation_figures(const StudyPart& part) {
  std::vector<Figure> figures;
  for (const std::string& dataset : part.datasets()) {
    Chart chart{.x_label = "", .y_label = "accuracy (%)"};
    Curve curve = empty_curve("", CurveStyle::points, Colour::blue);
    for (const StudyGroup& group : part.groups) {
      if (group.dataset != dataset) continue;
      add_point(curve, static_cast<double>(chart.categories.size()), group.values(accuracy_of),
                100);
      chart.categories.push_back(group.variant);
    }
    chart.curves.push_back(curve);
    chart.width = chart.categories.size() > 10 ? 1190 : 580;
    chart.height = 400;
    figures.push_back({dataset + ": what each part of the recipe is worth.", chart});
    figures.push_back(
        {dataset + ": where a dashed line leaves the full one of its colour, the relaxation (soft "
                   "gates on every head) says something else than what is run (selected heads).",
         gate_chart(part, dataset)});
  }
  return figures;
}

std::vector<Figure> opponent_figures(const StudyPart& part) {
  std::vector<Figure> figures;
  for (const std::string& dataset : part.datasets()) {
    Chart by_flops = opponent_chart(part, dataset, "FLOPs executed (% of mha)", executed_of);
    // As many heads cost as much, however they were come by.
    side_by_side(by_flops, 0.6);
    figures.push_back(
        {dataset +
             ": the higher and the further left, the better. The numbers are the heads that "
             "run. mha: trained with so many; pruned: taken away afterwards; fixed: a budget "
             "for all texts in training; budget: the learned mean, and others put on the same "
             "model. Equal costs stand side by side.",
         by_flops});
    figures.push_back({dataset + ": the same by the clock.",
                       opponent_chart(part, dataset, "time (% of mha)", seconds_of)});
  }
  return figures;
}

std::vector<Figure> budget_figures(const StudyPart& part) {
  std::vector<Figure> figures;
  for (const std::string& dataset : part.datasets()) {
    const StudyGroup* reference = part.reference(dataset);
    Chart accuracy = budget_chart(
        part, dataset, "accuracy (%)",
        [](const StudyGroup& group) { return group.values(accuracy_of); }, 100);
    if (reference != nullptr && accuracy.has_data()) {
      const double level = 100 * reference->mean(accuracy_of);
      accuracy.curves.push_back(straight("mha", 0, level, 1, level));
    }
    figures.push_back(
        {dataset + ": one model, many budgets. A flat line can be run at any price.", accuracy});
    Chart speed = budget_chart(
        part, dataset, "times as fast as mha",
        [&](const StudyGroup& group) {
          std::vector<double> values = ratios(group, reference, seconds_of);
          for (double& value : values) value = 1 / value;
          return values;
        },
        1);
    Curve ceiling = empty_curve("if every FLOP took as long", CurveStyle::dashed, Colour::grey);
    for (const StudyGroup& group : part.groups) {
      if (group.dataset != dataset || budget_family(group.variant) != "without jitter") {
        continue;
      }
      ceiling.x.push_back(number_in(group.variant));
      ceiling.y.push_back(1 / mean_of(ratios(group, reference, executed_of)));
    }
    if (!ceiling.x.empty()) speed.curves.push_back(ceiling);
    figures.push_back(
        {dataset + ": speed at each budget, beside the ceiling that the FLOPs set.", speed});
  }
  return figures;
}

std::vector<Figure> scaling_figures(const StudyPart& part) {
  return {{"Budget against depth: the paper says that it falls.",
           scaling_chart(part, "layers", "layers")},
          {"Budget against the number of heads.", scaling_chart(part, "heads", "heads per layer")},
          {"Budget against training rows: the paper says that few rows end at larger budgets.",
           scaling_chart(part, "rows", "training rows")}};
}

}  // namespace bf
