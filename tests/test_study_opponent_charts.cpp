#include "experiments/study_opponent_charts.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/study_files.h"

using namespace bf;

TEST_CASE(
    "study_opponent_charts: opponents stand at the heads that they run, a curve for each way to "
    "them") {
  const std::vector<Figure> figures = opponent_figures(part_of(
      study_line("trec", "mha", 1, 0.8, 4, 100, 2) + study_line("trec", "mha-1", 1, 0.7, 1, 40, 1) +
      study_line("trec", "pruned-2", 1, 0.6, 2, 60, 1) +
      study_line("trec", "budget", 1, 0.65, 1.5, 50, 1.5) +
      study_line("trec", "budget-0.25", 1, 0.5, 1, 40.6, 1) +
      study_line("trec", "other", 1, 0.5, 1, 40, 1)));
  REQUIRE(figures.size() == 2);
  const Chart& accuracy = figures[0].chart;
  CHECK(accuracy.categories ==
        std::vector<std::string>{"1, 40 %", "1.50, 50 %", "2, 60 %", "4, 100 %"});
  REQUIRE(accuracy.curves.size() == 4);  // none was trained with a fixed budget
  CHECK(accuracy.curves[0].label == "multi-head attention trained with so many");
  CHECK(accuracy.curves[0].y[0] == doctest::Approx(70));
  CHECK(accuracy.curves[0].y[1] == doctest::Approx(80));
  CHECK(std::round(accuracy.curves[0].x[1]) == 3);
  CHECK(accuracy.curves[1].y == std::vector<double>{60});
  CHECK(std::round(accuracy.curves[1].x[0]) == 2);
  CHECK(accuracy.curves[2].label == "BudgetFormer, the learned model set to so many");
  CHECK(std::round(accuracy.curves[2].x[0]) == 0);
  CHECK(accuracy.curves[3].x == std::vector<double>{1});
  CHECK(accuracy.curves[3].y[0] == doctest::Approx(65));
  const Chart& time = figures[1].chart;
  CHECK(time.curves[3].y[0] == doctest::Approx(75));
  CHECK(time.from_zero);
}
