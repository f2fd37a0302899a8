#include "experiments/paper_results.h"

#include "experiments/sample.h"
#include "experiments/table.h"

namespace bf {
namespace {

struct PaperResult {
  const char *dataset, *title;
  double mha, budget;  ///< test accuracy
  double flops_cut;    ///< share of all FLOPs, as the paper counts them
  double s;            ///< mean budget
};

constexpr PaperResult paper_results[] = {{"ag_news", "AG News", 0.9099, 0.9022, 0.027, 0.212},
                                         {"dbpedia", "DBpedia", 0.9830, 0.9859, 0.032, 0.085},
                                         {"imdb", "IMDB", 0.8354, 0.8356, 0.100, 0.601},
                                         {"snli", "SNLI", 0.7835, 0.8106, 0.021, 0.364},
                                         {"yelp_full", "Yelp", 0.5810, 0.6190, 0.201, 0.198}};

/// Our name for the data set, which may carry a share: "ag_news (44 %)"; empty when it was not run.
std::string name_in(const StudyPart& part, const std::string& dataset) {
  for (const std::string& name : part.datasets()) {
    if (name == dataset || name.rfind(dataset + " (", 0) == 0) return name;
  }
  return "";
}

std::vector<std::string> our_cells(const StudyPart& part, const std::string& name) {
  const StudyGroup* budget = part.find(name, "budget");
  const StudyGroup* reference = part.reference(name);
  if (budget == nullptr || reference == nullptr) return {"-", "-", "-", "-", "-", "-"};
  const Measure cut = [](const StudyRun& run) {
    return 1 - run.test("paper_flops_per_text") / run.test("dense_flops_per_text");
  };
  const Measure s = [](const StudyRun& run) { return run.test("s_mean"); };
  return {name,
          mean_and_deviation(reference->values(accuracy_of), 2, 100),
          mean_and_deviation(budget->values(accuracy_of), 2, 100),
          mean_and_deviation(differences(*budget, reference, accuracy_of), 2, 100),
          mean_and_deviation(budget->values(cut), 1, 100),
          mean_and_deviation(budget->values(s), 3)};
}

}  // namespace

ReportTable paper_table(const StudyPart& part) {
  ReportTable table{
      {"paper", "MHA %", "BudgetFormer %", "points", "FLOPs cut as the paper counts %", "s", "ours",
       "MHA %", "BudgetFormer %", "points", "FLOPs cut as the paper counts %", "s"},
      {}};
  bool any = false;
  for (const PaperResult& paper : paper_results) {
    std::vector<std::string> row = {paper.title,
                                    fixed_digits(100 * paper.mha, 2),
                                    fixed_digits(100 * paper.budget, 2),
                                    fixed_digits(100 * (paper.budget - paper.mha), 2),
                                    fixed_digits(100 * paper.flops_cut, 1),
                                    fixed_digits(paper.s, 3)};
    const std::vector<std::string> ours = our_cells(part, name_in(part, paper.dataset));
    any = any || ours.front() != "-";
    row.insert(row.end(), ours.begin(), ours.end());
    table.rows.push_back(row);
  }
  if (!any) table.rows.clear();
  return table;
}

std::string paper_note() {
  return "The paper (arXiv 2604.22583) trained models of D = 768 and 4 layers on the full training "
         "sets. Ours are smaller and some saw a part of the rows: other models and row numbers "
         "made "
         "these figures, so only the direction of each difference can be compared.";
}

}  // namespace bf
