#include "experiments/study_variants.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/study_files.h"

using namespace bf;

namespace {

/// A run that ended its training with this budget, after an epoch with another.
std::string ended_with(const std::string& line, const std::string& s) {
  return with_fields(line,
                     "\"training\": {\"epochs\": [{\"s_mean\": 0.9}, {\"s_mean\": " + s + "}]}");
}

}  // namespace

TEST_CASE("study_variants: opponents with their accuracy and cost, the nearest in cost compared") {
  const std::vector<std::string> found =
      opponents_findings(part_of(study_line("trec", "mha", 1, 0.80, 4, 100, 2) +
                                 study_line("trec", "budget", 1, 0.79, 1.5, 60, 1) +
                                 study_line("trec", "mha-1", 1, 0.75, 4, 50, 1) +
                                 study_line("trec", "pruned-2", 1, 0.7850, 4, 62, 1) +
                                 study_line("trec", "fixed-0.25", 1, 0.77, 1, 50, 1) +
                                 study_line("trec", "budget-1", 1, 0.78, 4, 100, 2)));
  CHECK(found ==
        std::vector<std::string>{
            "trec: multi-head attention 80.00 %; BudgetFormer 79.00 % at 60 % of the FLOPs, 1.50 "
            "heads.",
            "trec, multi-head attention with fewer heads from the start: 1: 75.00 % at 50 % of the "
            "FLOPs.",
            "trec, multi-head attention pruned after training: 2: 78.50 % at 62 % of the FLOPs.",
            "trec: the opponent nearest in cost is pruned-2; BudgetFormer is 0.50 points from it.",
            "trec, BudgetFormer trained with a fixed budget: 0.25: 77.00 % at 50 % of the FLOPs.",
            "trec, the learned model with a budget put on it at test time: 1: 78.00 % at 100 % of "
            "the FLOPs."});
  CHECK(opponents_findings(StudyPart()).empty());
  // Of two that cost as much, the more accurate one, in whichever order they come.
  const std::string dense = study_line("trec", "mha", 1, 0.80, 4, 100, 2);
  const std::string learned = study_line("trec", "budget", 1, 0.79, 1.5, 60, 1);
  const std::string weak = study_line("trec", "mha-2", 1, 0.70, 4, 62, 1);
  const std::string strong = study_line("trec", "pruned-2", 1, 0.78, 4, 62, 1);
  for (const std::string& both : {weak + strong, strong + weak}) {
    const std::vector<std::string> sentences = opponents_findings(part_of(dense + learned + both));
    CHECK(sentences[3] ==
          "trec: the opponent nearest in cost is pruned-2; BudgetFormer is 1.00 points from it.");
  }
}

TEST_CASE("study_variants: every change to the recipe against the whole of it") {
  CHECK(ablation_findings(part_of(study_line("trec", "mha", 1, 0.80, 4, 100, 2) +
                                  study_line("trec", "budget", 1, 0.79, 1.5, 60, 1) +
                                  study_line("trec", "no-price", 1, 0.80, 3.5, 90, 1) +
                                  study_line("trec", "random", 1, 0.70, 1.5, 60, 1))) ==
        std::vector<std::string>{
            "trec: the whole recipe reaches 79.00 % with 1.50 heads. Points against it: no-price "
            "+1.00 (3.50 heads); random -9.00 (1.50 heads)."});
  CHECK(ablation_findings(part_of(study_line("trec", "mha", 1, 0.80, 4, 100, 2))).empty());
}

TEST_CASE("study_variants: scaling says which way s goes at the end of training") {
  const std::string lines =
      ended_with(study_line("trec", "budget-layers-4", 1, 0.8, 1, 50, 1), "0.2") +
      ended_with(study_line("trec", "budget-layers-2", 1, 0.8, 2, 50, 1), "0.4");
  CHECK(scaling_findings(part_of(lines)) ==
        std::vector<std::string>{
            "trec: from the fewest layers to the most, s of the last epoch falls, s of the epoch "
            "that is kept falls (the paper: s falls with the model's size)."});
  CHECK(scaling_table(part_of(lines)).rows ==
        std::vector<std::vector<std::string>>{
            {"trec", "2 layers", "0.400", "0.500", "2.00", "80.00", "-"},
            {"trec", "4 layers", "0.200", "0.250", "1.00", "80.00", "-"}});
  // Seeds that differ by more than the change decide nothing.
  const std::string apart =
      ended_with(study_line("trec", "budget-layers-2", 2, 0.8, 2, 50, 1), "0.1");
  CHECK(scaling_findings(part_of(lines + apart))[0].find("does not move by more than the seeds") !=
        std::string::npos);
  CHECK(std::isnan(final_budget(StudyRun())));
  CHECK(scaled("mha-layers-12") == "layers");
  CHECK(scaled("rows-160") == "rows");
  CHECK(scaled("budget").empty());
}
