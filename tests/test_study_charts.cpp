#include "experiments/study_charts.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/study_files.h"

using namespace bf;

namespace {

StudyPart main_part() {
  const TempFolder folder;
  write_main_part(folder);
  return read_study_part(folder.path(), "main");
}

}  // namespace

TEST_CASE("study_charts: accuracy by time saved; heads and savings by data set") {
  const std::vector<Figure> figures = main_figures(main_part());
  REQUIRE(figures.size() == 3);
  const std::vector<Curve>& trade = figures[0].chart.curves;
  REQUIRE(trade.size() == 2);
  CHECK(trade[0].x[0] == doctest::Approx(40));
  CHECK(trade[0].x[1] == doctest::Approx(10));
  CHECK(trade[0].y[0] == doctest::Approx(1));
  CHECK(trade[0].y[1] == doctest::Approx(-2));
  CHECK(trade[0].names == std::vector<std::string>{"trec: 1.50", "r8: 3.00"});
  CHECK(trade[1].y == std::vector<double>{0, 0});
  const Curve& heads = figures[1].chart.curves[0];
  CHECK(heads.y[0] == 1.5);
  CHECK(heads.high[0] == doctest::Approx(1.5 + std::sqrt(0.5)));
  const Chart& saved = figures[2].chart;
  REQUIRE(saved.curves.size() == 2);
  CHECK(saved.curves[0].label == "BudgetFormer: FLOPs");
  CHECK(saved.curves[0].y[0] == doctest::Approx(45));
  CHECK(saved.curves[1].label == "BudgetFormer: time");
  CHECK(saved.curves[1].y[0] == doctest::Approx(40));
  CHECK(saved.curves[1].x[1] > saved.curves[0].x[1]);
}

TEST_CASE("study_charts: one model, many budgets, with its learned budget and the ceiling") {
  const std::vector<Figure> figures =
      budget_figures(part_of(study_line("trec", "mha", 1, 0.8, 4, 100, 2) +
                             study_line("trec", "budget", 1, 0.8, 1, 50, 1) +
                             study_line("trec", "budget-0.25", 1, 0.7, 1, 50, 1) +
                             study_line("trec", "budget-1", 1, 0.9, 4, 100, 2) +
                             study_line("trec", "jitter-budget-0.25", 1, 0.8, 1, 50, 1)));
  REQUIRE(figures.size() == 2);
  const std::vector<Curve>& accuracy = figures[0].chart.curves;
  REQUIRE(accuracy.size() == 4);
  CHECK(accuracy[0].label == "without jitter");
  CHECK(accuracy[0].x == std::vector<double>{0.25, 1});
  CHECK(accuracy[1].label == "with jitter");
  CHECK(accuracy[2].label == "learned budget");
  CHECK(accuracy[2].x == std::vector<double>{0.25});
  CHECK(accuracy[3].label == "mha");
  const std::vector<Curve>& speed = figures[1].chart.curves;
  CHECK(speed[0].y == std::vector<double>{2, 1});
  CHECK(speed.back().label == "if every FLOP took as long");
  CHECK(speed.back().y == std::vector<double>{2, 1});
}

TEST_CASE("study_charts: scaling takes what varies from the variant's name") {
  const auto ended = [](const std::string& variant, const std::string& s) {
    return with_fields(study_line("trec", variant, 1, 0.8, 1, 50, 1),
                       "\"training\": {\"epochs\": [{\"s_mean\": " + s + "}]}");
  };
  const std::vector<Figure> figures = scaling_figures(part_of(
      ended("layers-4", "0.25") + ended("layers-2", "0.5") + ended("budget-rows-1200", "0.75")));
  REQUIRE(figures.size() == 3);
  CHECK(figures[0].chart.curves[0].x == std::vector<double>{2, 4});
  CHECK(figures[0].chart.curves[0].label == "trec, last epoch");
  CHECK(figures[0].chart.curves[0].y == std::vector<double>{0.5, 0.25});
  CHECK(figures[0].chart.curves[1].label == "trec, epoch that is kept");
  CHECK(figures[0].chart.curves[1].y == std::vector<double>{0.25, 0.25});
  CHECK_FALSE(figures[1].chart.has_data());
  CHECK(figures[2].chart.curves[0].x == std::vector<double>{1200});
}

TEST_CASE("study_charts: soft and selected heads over training, mean over the runs") {
  const std::string epochs =
      "\"training\": {\"epochs\": [{\"epoch\": 1, \"validation_accuracy\": 0.5, "
      "\"validation_soft_accuracy\": 0.75}";
  const std::vector<Figure> figures = ablation_figures(
      part_of(with_fields(study_line("trec", "relaxed", 1, 0.8, 1, 50, 1), epochs + "]}") +
              with_fields(study_line("trec", "relaxed", 2, 0.8, 1, 50, 1),
                          epochs + ", {\"epoch\": 2, \"validation_accuracy\": 0.75}]}")));
  REQUIRE(figures.size() == 2);
  const std::vector<Curve>& curves = figures[1].chart.curves;
  REQUIRE(curves.size() == 2);
  CHECK(curves[0].label == "relaxed, selected heads");
  CHECK(curves[0].x == std::vector<double>{1, 2});
  CHECK(curves[0].y == std::vector<double>{50, 75});
  CHECK(curves[1].y[0] == 75);
  CHECK(std::isnan(curves[1].y[1]));
  CHECK(curves[1].colour == curves[0].colour);
}

TEST_CASE("study_charts: ablations and kinds") {
  const std::vector<Figure> ablation = ablation_figures(main_part());
  REQUIRE(ablation.size() == 4);
  CHECK_FALSE(ablation[1].chart.has_data());
  CHECK(ablation[0].chart.categories == std::vector<std::string>{"mha", "budget"});
  CHECK(ablation[0].chart.curves[0].y[1] == doctest::Approx(82));
  StudyPart mixed{"mixed", {{"synthetic", "budget", {StudyRun()}}}};
  mixed.groups[0].runs[0].record["test"]["layers"] = {{{"heads_mean", 2.0}}};
  mixed.groups[0].runs[0].record["test"]["by_difficulty"] = {
      {{"name", "easy"}, {"accuracy", 1.0}, {"heads_mean_total", 2.0}}};
  const std::vector<Figure> figures = mixed_figures(mixed);
  REQUIRE(figures.size() == 4);
  CHECK(figures[0].chart.curves[0].y == std::vector<double>{2});
  CHECK(figures[1].chart.curves[0].y == std::vector<double>{100});
  CHECK_FALSE(figures[2].chart.has_data());
}
