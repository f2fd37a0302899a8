#include "experiments/study_opponent_charts.h"

#include <algorithm>
#include <functional>

#include "experiments/sample.h"
#include "experiments/study_curves.h"
#include "experiments/study_variants.h"
#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// A way to fewer heads: the family of its variants, or "budget" of its own: the learned choice.
struct Opponent {
  std::string family, label;
  Colour colour;
};
const std::vector<Opponent> opponents = {
    {"mha", "multi-head attention trained with so many", Colour::blue},
    {"pruned", "multi-head attention pruned to so many", Colour::vermillion},
    {"fixed", "BudgetFormer trained with so many for every text", Colour::green},
    {"budget-", "BudgetFormer, the learned model set to so many", Colour::purple},
    {"budget", "BudgetFormer, the learned choice for each text", Colour::orange}};

std::string way_of(const StudyGroup& group) {
  const std::string family = family_of(group.variant);
  return family == "budget" && group.variant != family ? "budget-" : family;
}

/// "1", "1.39"
std::string heads_name(const StudyGroup& group) {
  const std::string digits = fixed_digits(group.mean(heads_of), 2);
  return digits.ends_with(".00") ? digits.substr(0, digits.size() - 3) : digits;
}

/// A value of the opponents on a data set, by the heads that they run: as many heads cost as many
/// FLOPs, whichever way they were come by, but for the controller and the gate, a thousandth. The
/// learned choice stands in the middle of its place.
Chart opponent_chart(const StudyPart& part, const std::string& dataset, const std::string& label,
                     CurveStyle style,
                     const std::function<std::vector<double>(const StudyGroup&)>& values) {
  Chart chart{.x_label = "heads run per layer, and FLOPs executed (% of mha with all heads)",
              .y_label = label};
  std::vector<const StudyGroup*> groups;
  for (const StudyGroup& group : part.groups) {
    if (group.dataset == dataset) groups.push_back(&group);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const StudyGroup* a, const StudyGroup* b) {
    return a->mean(heads_of) < b->mean(heads_of);
  });
  for (const Opponent& opponent : opponents) {
    chart.curves.push_back(empty_curve(opponent.label, style, opponent.colour));
  }
  std::vector<std::string> places;  // along the axis, by the heads
  for (const StudyGroup* group : groups) {
    const auto way = std::find_if(opponents.begin(), opponents.end(),
                                  [&](const Opponent& o) { return o.family == way_of(*group); });
    if (way == opponents.end()) continue;
    const std::string heads = heads_name(*group);
    if (places.empty() || places.back() != heads) {
      places.push_back(heads);
      chart.categories.push_back(
          join_parts(heads, ", ", digits_or_dash(100 * cost_of(part, *group), 0), " %"));
    }
    add_point(chart.curves[static_cast<Index>(way - opponents.begin())],
              static_cast<double>(places.size() - 1), values(*group), 100);
  }
  const Curve learned = chart.curves.back();
  chart.curves.pop_back();
  std::erase_if(chart.curves, [](const Curve& curve) { return curve.x.empty(); });
  side_by_side(chart);
  if (!learned.x.empty()) chart.curves.push_back(learned);
  chart.width = 1190, chart.height = 380;
  return chart;
}

}  // namespace

std::vector<Figure> opponent_figures(const StudyPart& part) {
  std::vector<Figure> figures;
  for (const std::string& dataset : part.datasets()) {
    figures.push_back(
        {dataset +
             ": accuracy of models that run as many heads for every text, and of the learned "
             "choice, each at the heads that it runs. As many heads cost nearly as many FLOPs.",
         opponent_chart(part, dataset, "accuracy (%)", CurveStyle::points,
                        [](const StudyGroup& group) { return group.values(accuracy_of); })});
    Chart time = opponent_chart(
        part, dataset, "time (% of mha with all heads)", CurveStyle::bars,
        [&](const StudyGroup& group) { return ratios(group, part.reference(group), seconds_of); });
    time.from_zero = true;
    figures.push_back({dataset + ": what they take on the clock.", time});
  }
  return figures;
}

}  // namespace bf
