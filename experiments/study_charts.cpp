#include "experiments/study_charts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "experiments/run_record.h"
#include "experiments/sample.h"
#include "experiments/study_curves.h"
#include "experiments/study_tables.h"
#include "experiments/study_variants.h"
#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

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
  return colour_in_turn(
      static_cast<Index>(std::find(names.begin(), names.end(), variant) - names.begin()));
}

/// What a picture calls a variant.
std::string title_of(const std::string& variant) {
  static const std::map<std::string, std::string> titles = {
      {"mha", "multi-head attention"},
      {"budget", "BudgetFormer"},
      {"random", "random gate in training"},
      {"random-gate-at-test", "BudgetFormer, random gate at test"}};
  const auto found = titles.find(variant);
  return found == titles.end() ? variant : found->second;
}

/// A value of each variant on each data set, the data sets along the axis.
Chart by_dataset(const StudyPart& part, const std::string& label, CurveStyle style,
                 const std::function<std::vector<double>(const StudyGroup&)>& values, double factor,
                 bool shifted = true) {
  Chart chart{.x_label = "", .y_label = label};
  chart.categories = part.datasets();
  for (const std::string& variant : variants(part)) {
    Curve curve = empty_curve(title_of(variant), style, colour_of(part, variant));
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
    Curve curve =
        empty_curve(title_of(group.variant), accuracy ? CurveStyle::points : CurveStyle::bars,
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

/// Points of accuracy against the time saved, each data set by its name and heads.
Chart trade_chart(const StudyPart& part) {
  Chart chart{.x_label = "time saved (%)", .y_label = "points against mha"};
  Curve curve = empty_curve("BudgetFormer", CurveStyle::points, Colour::blue);
  for (const std::string& dataset : part.datasets()) {
    const StudyGroup* budget = part.find(dataset, "budget");
    if (budget == nullptr) continue;
    const StudyGroup* reference = part.reference(*budget);
    add_point(curve, 100 - 100 * mean_of(ratios(*budget, reference, seconds_of)),
              differences(*budget, reference, accuracy_of), 100);
    curve.names.push_back(join_parts(dataset, ": ", digits_or_dash(budget->mean(heads_of), 2)));
  }
  chart.curves.push_back(curve);
  if (chart.has_data()) {
    const auto [least, most] = std::minmax_element(curve.x.begin(), curve.x.end());
    chart.curves.push_back(straight("", *least, 0, *most, 0));
  }
  chart.width = 1190, chart.height = 460;
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
  std::string family = family_of(variant);
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
  Chart chart{.x_label = label, .y_label = "mean budget s"};
  for (const std::string& dataset : part.datasets()) {
    const std::vector<const StudyGroup*> groups = scaling_groups(part, dataset, what);
    if (groups.empty()) continue;
    const auto add = [&](const std::string& words, const Measure& budget) {
      Curve curve = empty_curve(dataset + words, CurveStyle::line_points,
                                colour_in_turn(chart.curves.size()));
      for (const StudyGroup* group : groups) {
        add_point(curve, number_in(group->variant), group->values(budget));
      }
      chart.curves.push_back(curve);
    };
    add(", last epoch", final_budget);
    add(", epoch that is kept", kept_budget);
  }
  chart.from_zero = true;
  chart.log_x = what == "rows";
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
    const Colour colour = colour_in_turn(chart.curves.size() / 2);
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
  Chart heads = by_dataset(
      part, "heads run per layer", CurveStyle::bars,
      [](const StudyGroup& group) { return group.values(heads_of); }, 1);
  heads.from_zero = true;
  return {
      {"What BudgetFormer saves on the clock, and at what accuracy: above the dashed line it is "
       "the "
       "better one. Behind each data set's name the heads that run in a layer. Whiskers: one "
       "standard deviation over seeds.",
       trade_chart(part)},
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
