#include "experiments/study_variants.h"

#include <algorithm>
#include <cmath>

#include "experiments/run_record.h"
#include "experiments/sample.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// "89.82 % at 71 % of the FLOPs"
std::string accuracy_at_cost(const StudyPart& part, const StudyGroup& group) {
  return join_parts(mean_and_deviation(group.values(accuracy_of), 2, 100), " % at ",
                    digits_or_dash(100 * cost_of(part, group), 0), " % of the FLOPs");
}

struct Opponent {
  const char *family, *words;
};
constexpr Opponent dense_opponents[] = {
    {"mha", "multi-head attention with fewer heads from the start"},
    {"pruned", "multi-head attention pruned after training"}};
constexpr Opponent fixed_budgets[] = {
    {"fixed", "BudgetFormer trained with a fixed budget"},
    {"budget", "the learned model with a budget put on it at test time"}};

std::string family_sentence(const StudyPart& part, const std::string& dataset,
                            const Opponent& opponent) {
  std::string members;
  for (const StudyGroup* group : part.family(dataset, opponent.family)) {
    members += join_parts(members.empty() ? "" : "; ", number_in(group->variant), ": ",
                          accuracy_at_cost(part, *group));
  }
  if (members.empty()) return "";
  return join_parts(dataset, ", ", opponent.words, ": ", members, '.');
}

/// The dense opponent of the nearest cost, of equal costs the most accurate, and the distance in
/// accuracy.
std::string nearest_sentence(const StudyPart& part, const StudyGroup& budget) {
  constexpr double equal = 0.001;  // of the reference's cost
  const auto distance = [&](const StudyGroup& group) {
    return std::abs(cost_of(part, group) - cost_of(part, budget));
  };
  const StudyGroup* nearest = nullptr;
  for (const Opponent& opponent : dense_opponents) {
    for (const StudyGroup* group : part.family(budget.dataset, opponent.family)) {
      const double further = nearest == nullptr ? -1 : distance(*group) - distance(*nearest);
      const bool better =
          nearest != nullptr && group->mean(accuracy_of) > nearest->mean(accuracy_of);
      if (further < -equal || (further < equal && better)) nearest = group;
    }
  }
  if (nearest == nullptr) return "";
  const std::vector<double> points = differences(budget, nearest, accuracy_of);
  return join_parts(budget.dataset, ": the opponent nearest in cost is ", nearest->variant,
                    "; BudgetFormer is ", mean_and_deviation(points, 2, 100), " points from it.");
}

/// "falls", "rises" or "does not move" between the smallest and the largest of what varies, by more
/// than the seeds do.
std::string direction(const std::vector<double>& first, const std::vector<double>& last) {
  const double change = mean_of(last) - mean_of(first);
  const double first_spread = deviation_of(first), last_spread = deviation_of(last);
  const double spread = std::max(std::isfinite(first_spread) ? first_spread : 0,
                                 std::isfinite(last_spread) ? last_spread : 0);
  if (!(std::abs(change) > spread)) return "does not move by more than the seeds do";
  return change > 0 ? "rises" : "falls";
}

std::string scaling_sentence(const StudyPart& part, const std::string& dataset,
                             const std::string& what, const std::string& claim) {
  const std::vector<const StudyGroup*> groups = scaling_groups(part, dataset, what);
  if (groups.size() < 2) return "";
  const StudyGroup &first = *groups.front(), &last = *groups.back();
  const auto way = [&](const Measure& budget) {
    return direction(first.values(budget), last.values(budget));
  };
  return join_parts(dataset, ": from the fewest ", what, " to the most, s of the last epoch ",
                    way(final_budget), ", s of the epoch that is kept ", way(kept_budget),
                    " (the paper: ", claim, ").");
}

}  // namespace

std::vector<std::string> opponents_findings(const StudyPart& part) {
  std::vector<std::string> sentences;
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty()) sentences.push_back(sentence);
  };
  for (const std::string& dataset : part.datasets()) {
    const StudyGroup* budget = part.find(dataset, "budget");
    const StudyGroup* reference = part.find(dataset, "mha");
    if (budget == nullptr || reference == nullptr) continue;
    add(join_parts(dataset, ": multi-head attention ",
                   mean_and_deviation(reference->values(accuracy_of), 2, 100), " %; BudgetFormer ",
                   accuracy_at_cost(part, *budget), ", ", digits_or_dash(budget->mean(heads_of), 2),
                   " heads."));
    for (const Opponent& opponent : dense_opponents) add(family_sentence(part, dataset, opponent));
    add(nearest_sentence(part, *budget));
    for (const Opponent& opponent : fixed_budgets) add(family_sentence(part, dataset, opponent));
  }
  return sentences;
}

std::vector<std::string> ablation_findings(const StudyPart& part) {
  std::vector<std::string> sentences;
  for (const std::string& dataset : part.datasets()) {
    const StudyGroup* recipe = part.find(dataset, "budget");
    if (recipe == nullptr) continue;
    std::string changes;
    for (const StudyGroup& group : part.groups) {
      if (group.dataset != dataset || &group == recipe || group.variant == "mha") continue;
      const double points = 100 * mean_of(differences(group, recipe, accuracy_of));
      changes +=
          join_parts(changes.empty() ? "" : "; ", group.variant, ' ', signed_digits(points, 2),
                     " (", digits_or_dash(group.mean(heads_of), 2), " heads)");
    }
    if (changes.empty()) continue;
    sentences.push_back(join_parts(dataset, ": the whole recipe reaches ",
                                   mean_and_deviation(recipe->values(accuracy_of), 2, 100),
                                   " % with ", digits_or_dash(recipe->mean(heads_of), 2),
                                   " heads. Points against it: ", changes, '.'));
  }
  return sentences;
}

std::vector<std::string> scaling_findings(const StudyPart& part) {
  const std::pair<const char*, const char*> questions[] = {
      {"layers", "s falls with the model's size"},
      {"heads", "s falls with the model's size"},
      {"rows", "few rows end at larger budgets"}};
  std::vector<std::string> sentences;
  for (const std::string& dataset : part.datasets()) {
    for (const auto& [what, claim] : questions) {
      const std::string sentence = scaling_sentence(part, dataset, what, claim);
      if (!sentence.empty()) sentences.push_back(sentence);
    }
  }
  return sentences;
}

ReportTable scaling_table(const StudyPart& part) {
  ReportTable table{{"data set", "varied", "s, last epoch", "s, epoch that is kept",
                     "heads run per layer, kept", "accuracy %", "accuracy of mha %"},
                    {}};
  for (const std::string& dataset : part.datasets()) {
    for (const std::string what : {"layers", "heads", "rows"}) {
      for (const StudyGroup* group : scaling_groups(part, dataset, what)) {
        const StudyGroup* reference = part.reference(*group);
        table.rows.push_back({dataset, join_parts(number_in(group->variant), ' ', what),
                              mean_and_deviation(group->values(final_budget), 3),
                              mean_and_deviation(group->values(kept_budget), 3),
                              mean_and_deviation(group->values(heads_of), 2),
                              mean_and_deviation(group->values(accuracy_of), 2, 100),
                              reference == nullptr
                                  ? "-"
                                  : mean_and_deviation(reference->values(accuracy_of), 2, 100)});
      }
    }
  }
  return table;
}

std::string scaled(const std::string& variant) {
  const std::string name = family_of(variant);
  for (const char* word : {"layers", "heads", "rows"}) {
    if (name.ends_with(word)) return word;
  }
  return "";
}

std::vector<const StudyGroup*> scaling_groups(const StudyPart& part, const std::string& dataset,
                                              const std::string& what) {
  std::vector<const StudyGroup*> groups;
  for (const StudyGroup& group : part.groups) {
    const bool chooses = !group.runs.empty() && group.runs.front().budgets();
    if (group.dataset == dataset && scaled(group.variant) == what && chooses) {
      groups.push_back(&group);
    }
  }
  std::sort(groups.begin(), groups.end(), [](const StudyGroup* a, const StudyGroup* b) {
    return number_in(a->variant) < number_in(b->variant);
  });
  return groups;
}

double cost_of(const StudyPart& part, const StudyGroup& group) {
  return mean_of(ratios(group, part.reference(group), executed_of));
}

double final_budget(const StudyRun& run) {
  const nlohmann::json::json_pointer epochs("/training/epochs");
  if (!run.record.contains(epochs) || run.record.at(epochs).empty()) return std::nan("");
  return number_at(run.record.at(epochs).back(), "/s_mean");
}

double kept_budget(const StudyRun& run) { return run.test("s_mean"); }

}  // namespace bf
