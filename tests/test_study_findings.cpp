#include "experiments/study_findings.h"

#include <doctest/doctest.h>

#include "tests/study_files.h"

using namespace bf;

namespace {

StudyGroup mixed_group(const std::string& variant, double hard_accuracy, double hard_heads,
                       double rank) {
  StudyRun run;
  run.record["seed"] = 7;
  run.record["test"] = {
      {"spearman_difficulty_heads", rank},
      {"by_difficulty",
       {{{"name", "easy"}, {"accuracy", 1.0}, {"heads_mean_total", 2.0}},
        {{"name", "hard"}, {"accuracy", hard_accuracy}, {"heads_mean_total", hard_heads}}}},
      {"by_kind",
       {{{"name", "keyword"}, {"head_usage", {{0.2, 1.0}, {0.4, 0.5}}}},
        {{"name", "latest"}, {"head_usage", {{0.9, 0.6}, {0.1, 0.51}}}}}}};
  return {"synthetic", variant, {run}};
}

}  // namespace

TEST_CASE("study_findings: the main part against the goals, with the data sets that miss them") {
  // trec saves 45 % of the FLOPs and 40 % of the time, imdb 20 % and 10 %.
  const std::vector<std::string> found =
      main_findings(part_of(study_line("trec", "mha", 1, 0.80, 4, 100, 2) +
                            study_line("trec", "budget", 1, 0.81, 1.5, 55, 1.2) +
                            study_line("imdb", "mha", 1, 0.90, 4, 100, 2) +
                            study_line("imdb", "budget", 1, 0.88, 3, 80, 1.8)));
  REQUIRE(found.size() == 6);
  CHECK(found[0] ==
        "Mean of seeds: BudgetFormer's accuracy is at least that of multi-head attention minus 0.3 "
        "points on 1 of 2 data sets; not on imdb (-2.00) (goal of the study: every one; missed), "
        "and higher on 1 (goal of the study: at least four; open, 2 of 10 data sets have run).");
  CHECK(found[1] ==
        "It runs at most 2 of 4 heads per layer on average on 1 of 2 data sets; not on imdb (3.00) "
        "(goal of the study: at least six; open, 2 of 10 data sets have run).");
  CHECK(found[2] ==
        "The other data sets: it cuts the FLOPs by at least 20 % on 1 of 1 data sets: trec 45.0 % "
        "(goal of the study: every one; open, 1 of 8 data sets have run).");
  CHECK(found[3] ==
        "Long texts (IMDB, 20 Newsgroups): it cuts the FLOPs by at least 30 % on 0 of 1 data sets: "
        "imdb 20.0 % (goal of the study: every one; missed).");
  CHECK(found[4] ==
        "It saves 20 to 45 % of the FLOPs; of that saving, 50 to 89 % (median 69 %) is there on "
        "the clock.");
  CHECK(found[5] ==
        "The time is cut by at least 0.85 of what the FLOPs are on 1 of 2 data sets; not on imdb "
        "(0.500) (goal of the study: every one; missed).");
}

TEST_CASE("study_findings: a goal over data sets is met or missed once the others cannot matter") {
  std::string lines;
  for (int set = 0; set < 7; ++set) {
    const std::string name = "set" + std::to_string(set);
    lines += study_line(name, "mha", 1, 0.80, 4, 100, 2);
    lines += study_line(name, "budget", 1, set < 1 ? 0.81 : 0.80, set < 6 ? 1 : 3, 50, 1);
  }
  const std::vector<std::string> found = main_findings(part_of(lines));
  CHECK(
      found[0].ends_with("higher on 1 (goal of the study: at least four; open, 7 of 10 data sets "
                         "have run)."));
  CHECK(found[1].ends_with("(goal of the study: at least six; met)."));
  lines += study_line("set7", "mha", 1, 0.80, 4, 100, 2);
  lines += study_line("set7", "budget", 1, 0.80, 1, 50, 1);
  CHECK(main_findings(part_of(lines))[0].ends_with(
      "higher on 1 (goal of the study: at least four; missed)."));
}

TEST_CASE("study_findings: do the heads of real texts go with their loss and length") {
  const auto with_ranks = [](const std::string& line, const std::string& ranks) {
    const std::string field = "\"test\": {";
    const std::size_t at = line.find(field) + field.size();
    return line.substr(0, at) + ranks + line.substr(at);
  };
  const std::vector<std::string> found = main_findings(
      part_of(study_line("trec", "mha", 1, 0.80, 4, 100, 2) +
              with_ranks(study_line("trec", "budget", 1, 0.8, 1.5, 55, 1.2),
                         "\"spearman_heads_loss\": -0.25, \"spearman_heads_length\": 0.5, ") +
              study_line("r8", "mha", 1, 0.80, 4, 100, 2) +
              study_line("r8", "budget", 1, 0.8, 1, 55, 1.2)));
  CHECK(found.back() ==
        "Rank correlation (Spearman) of the heads that a text runs, by data set: with its loss "
        "-0.25 to -0.25, with its length 0.50 to 0.50; none on r8, where every text runs as many.");
}

TEST_CASE("study_findings: where no FLOPs are saved there is no share of them") {
  const std::vector<std::string> found =
      main_findings(part_of(study_line("trec", "mha", 1, 0.80, 4, 100, 2) +
                            study_line("trec", "budget", 1, 0.81, 4, 100, 2.2)));
  REQUIRE(found.size() == 5);
  CHECK(found[3] == "It saves 0 to 0 % of the FLOPs.");
  CHECK(found[4] ==
        "The time is cut by at least 0.85 of what the FLOPs are on 0 of 1 data sets; not on trec "
        "(-) (goal of the study: every one; missed).");
  CHECK(main_findings(StudyPart()).empty());
}

TEST_CASE("study_findings: does the budget follow the input") {
  const StudyPart part{
      "mixed",
      {mixed_group("mha", 0.95, 16, 0), mixed_group("budget", 0.945, 4.5, 0.4),
       mixed_group("random-gate-at-test", 0.7, 4.5, 0), mixed_group("random", 0.955, 4, 0)}};
  CHECK(mixed_findings(part) ==
        std::vector<std::string>{
            "Heads in all layers: 4.50 on hard texts, 2.00 on easy ones, 2.50 more (goal of the "
            "study: at least 2.0 more; met).",
            "Rank correlation (Spearman) of a text's difficulty and its heads: 0.40 (goal of the "
            "study: at least 0.5; missed).",
            "Accuracy on hard texts: 94.5 %, multi-head attention 95.0 %, -0.5 points (goal of the "
            "study: at most 1 point lower; met).",
            "With a random gate put on the same models at test time, with as many heads, the "
            "accuracy on hard texts is 70.0 %: the learned gate is better by 24.5 points (goal of "
            "the study: at least 10; met).",
            "A model trained with a random gate reaches 95.5 % on hard texts: the learned gate is "
            "-1.0 points from it.",
            "Heads that most texts of a kind run (layer/head), seed 7: keyword: 1/2; latest: 1/1 "
            "1/2 2/2."});
  // Several seeds: each by itself, too.
  StudyPart more = part;
  for (const Index group : {Index{1}, Index{2}}) {
    StudyRun second = more.groups[group].runs[0];
    second.seed = 8;
    second.record["test"]["by_difficulty"][1]["accuracy"] = group == 1 ? 0.9 : 0.8;
    more.groups[group].runs.push_back(second);
  }
  CHECK(mixed_findings(more)[3].find(" points (24.5, 10.0 by seed)") != std::string::npos);
  CHECK(mixed_findings(part_of(study_line("trec", "budget", 1, 0.8, 1, 50, 1))).empty());
}

TEST_CASE("study_findings: one model, many budgets") {
  const std::vector<std::string> found =
      budgets_findings(part_of(study_line("trec", "mha", 1, 0.8, 4, 100, 2) +
                               study_line("trec", "budget", 1, 0.8, 1, 50, 1) +
                               study_line("trec", "budget-0.25", 1, 0.7, 1, 50, 1) +
                               study_line("trec", "budget-0.5", 1, 0.6, 4, 80, 1.6) +
                               study_line("trec", "budget-1", 1, 0.78, 4, 100, 2) +
                               study_line("trec", "jitter", 1, 0.8, 1, 50, 1) +
                               study_line("trec", "jitter-budget-1", 1, 0.795, 4, 100, 2)));
  CHECK(found ==
        std::vector<std::string>{
            "trec, trained without jitter: with every head (budget 1) the accuracy is 78.00 %, "
            "with the learned budget 80.00 %, -2.00 points (goal of the study: within 1 point; "
            "missed).",
            "trec, trained without jitter: the worst of 3 budgets is 0.5 with 60.00 %, -20.00 "
            "points from the learned budget.",
            "trec, trained with jitter: with every head (budget 1) the accuracy is 79.50 %, with "
            "the learned budget 80.00 %, -0.50 points (goal of the study: within 1 point; met).",
            "trec, trained with jitter: the worst of 1 budgets is 1 with 79.50 %, -0.50 points "
            "from the learned budget.",
            "Budgeted Attention Allocation (arXiv 2605.05697) reports AG News 82.1 % at 1.28 times "
            "the speed, for a small word-level model on one CPU thread; other models, rows and "
            "machines.",
            "Our point nearest to that speed on trec is budget-0.5: 1.25 times as fast as "
            "multi-head attention, accuracy 60.00 %."});
  CHECK(budgets_findings(StudyPart()).empty());
}
