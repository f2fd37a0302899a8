#include "experiments/comparison.h"

#include "experiments/sample.h"
#include "experiments/study_runs.h"
#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

using nlohmann::json;

Measure of_test(const char* field) {
  return [field](const StudyRun& run) { return run.test(field); };
}

/// How much less than dense the model costs if only the attention core counts, as in the paper.
double paper_cut(const StudyRun& run) {
  return 1 - run.test("paper_flops_per_text") / run.test("dense_flops_per_text");
}

double training_seconds(const StudyRun& run) {
  return run.record.at("training").at("train_seconds").get<double>();
}

std::string percent(double part) { return fixed_digits(100 * part, 1) + " %"; }

double relative(const StudyGroup& group, const StudyGroup& reference, const Measure& measure) {
  return mean_of(ratios(group, &reference, measure));
}

const std::vector<std::string> columns = {"accuracy",     "macro F1", "s mean",    "heads run",
                                          "MFLOP/text",   "FLOPs",    "paper cut", "peak MB",
                                          "s/1000 texts", "time",     "training s"};

std::vector<std::string> cells(const StudyGroup& group, const StudyGroup& reference) {
  const auto show = [&group](const Measure& measure, int digits, double unit = 1) {
    return fixed_digits(group.mean(measure) / unit, digits);
  };
  std::string accuracy = show(accuracy_of, 4);
  if (group.runs.size() > 1) {
    accuracy += " +- " + fixed_digits(deviation_of(group.values(accuracy_of)), 4);
  }
  const json& heads_of_layer = group.runs.front().record.at("heads");
  return {display_name(group.variant),
          accuracy,
          show(of_test("macro_f1"), 4),
          show(of_test("s_mean"), 3),
          join_parts(show(heads_of, 2), " of ", heads_of_layer.get<int>()),
          show(executed_of, 2, 1e6),
          percent(relative(group, reference, executed_of)),
          percent(group.mean(paper_cut)),
          show(of_test("peak_tensor_bytes"), 1, 1e6),
          show(seconds_of, 3),
          percent(relative(group, reference, seconds_of)),
          show(training_seconds, 1)};
}

std::string sentence(const StudyGroup& group, const StudyGroup& reference) {
  const double flops_left = relative(group, reference, executed_of);
  const double time_left = relative(group, reference, seconds_of);
  return join_parts(
      "On ", group.dataset, ", ", display_name(group.variant), " reaches a test accuracy of ",
      fixed_digits(group.mean(accuracy_of), 4), " against ",
      fixed_digits(reference.mean(accuracy_of), 4), " of ", display_name(reference.variant),
      " while it runs ", fixed_digits(group.mean(heads_of), 2), " of ",
      group.runs.front().record.at("heads").get<int>(), " heads on average: ", percent(flops_left),
      " of the FLOPs, which allow a speed-up of ", fixed_digits(1 / flops_left, 2), ", and ",
      percent(time_left), " of the time, a speed-up of ", fixed_digits(1 / time_left, 2), ".\n");
}

}  // namespace

std::string display_name(const std::string& variant) {
  if (variant == "mha") return "MHA";
  if (variant == "budget") return "BudgetFormer";
  if (variant == "fixed") return "fixed budget";
  return variant == "random" ? "random gate" : variant;
}

std::string comparison_text(const std::vector<json>& results) {
  const StudyPart part = study_part("results", results, "results");
  std::string tables, sentences;
  for (const std::string& dataset : part.datasets()) {
    std::vector<std::vector<std::string>> rows = {{dataset}};
    rows[0].insert(rows[0].end(), columns.begin(), columns.end());
    const StudyGroup* first = nullptr;
    for (const StudyGroup& group : part.groups) {
      if (group.dataset != dataset) continue;
      if (first == nullptr) first = &group;
      const StudyGroup* named = part.reference(group);
      const StudyGroup& reference = named != nullptr ? *named : *first;
      rows.push_back(cells(group, reference));
      if (&group != &reference) sentences += sentence(group, reference);
    }
    tables += table(rows) + '\n';
  }
  return tables + sentences;
}

std::string json_lines(const std::vector<json>& results) {
  std::string lines;
  for (const json& result : results) lines += result.dump() + '\n';
  return lines;
}

}  // namespace bf
