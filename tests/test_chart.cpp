#include "experiments/chart.h"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace bf;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Chart small_chart() {
  Chart chart{.x_label = "step", .y_label = "loss (nats)"};
  chart.curves.push_back(
      {"training", {0, 10, 20}, {1, missing, 3}, {}, {}, CurveStyle::line, Colour::vermillion});
  return chart;
}

}  // namespace

TEST_CASE("chart: strings cannot leave their quotes") {
  CHECK(gnuplot_string("it's `date` \"x\"") == "'it\u2019s `date` \"x\"'");
  CHECK(gnuplot_string("a\nset output 'x'") == "'a set output \u2019x\u2019'");
}

TEST_CASE("chart: the script has labels, data with gaps, and the colour of the curve") {
  const std::string script = chart_script(small_chart());
  CHECK(holds(script, "set xlabel 'step' noenhanced\nset ylabel 'loss (nats)' noenhanced\n"));
  CHECK(holds(script, "$d0 << EOD\n0 1 NaN NaN \n10 NaN NaN NaN \n20 3 NaN NaN \nEOD\n"));
  CHECK(holds(script, "plot $d0 using 1:2 with lines lw 2 lc rgb '#d55e00' title 'training'"));
}

TEST_CASE("chart: axes span points, whiskers, marks and what was asked for") {
  Chart chart = small_chart();
  CHECK(holds(chart_script(chart), "set yrange [0.88:3.16]"));
  chart.curves[0].low = {0.5, 0.5, 0.5};
  chart.curves[0].high = {4, 4, 4};
  CHECK(holds(chart_script(chart), "set yrange [0.29:4.28]"));
  chart.from_zero = true;
  chart.highest = 8;
  chart.mark = 100;
  CHECK(holds(chart_script(chart), "set yrange [0:8.64]"));
  CHECK(holds(chart_script(chart), "set xrange [-3:104]"));
}

TEST_CASE("chart: a single point still has an axis") {
  Chart chart = small_chart();
  chart.curves[0].x = {0}, chart.curves[0].y = {0};
  CHECK(holds(chart_script(chart), "set yrange [-6e-08:8e-08]"));
  chart.curves[0].y = {5};
  CHECK(holds(chart_script(chart), "set yrange [4.94:5.08]"));
}

TEST_CASE("chart: bars of whole numbers stand inside the axis") {
  Chart chart = small_chart();
  chart.curves[0].style = CurveStyle::bars;
  CHECK(holds(chart_script(chart), "set xrange [-0.6:20.6]"));
  CHECK(holds(chart_script(chart), "set xtics 1\n"));
}

TEST_CASE("chart: the key has as many columns as its longest label allows") {
  Chart chart = small_chart();
  CHECK(holds(chart_script(chart), "maxcols 3\n"));
  chart.curves[0].label = std::string(60, 'x');
  CHECK(holds(chart_script(chart), "maxcols 1\n"));
}

TEST_CASE("chart: numbers of a logarithmic axis are short") {
  Chart chart = small_chart();
  chart.log_x = true;
  CHECK(holds(chart_script(chart), "set logscale x\nset format x '%g'\n"));
}

TEST_CASE("chart: names of points that are close stand apart") {
  Chart chart = small_chart();
  chart.curves[0].names = {"one", "none", "two"};
  CHECK(holds(chart_script(chart), "'one' at 0,1 left offset 0.7,0.5"));
  CHECK_FALSE(holds(chart_script(chart), "'none'"));
  chart.curves[0].x = {0, 10, 0};
  chart.curves[0].y = {1, 3, 1.02};
  CHECK(holds(chart_script(chart), "'one' at 0,1 left offset 0.7,0.5"));
  CHECK_FALSE(holds(chart_script(chart), "'two' at 0,1.02 left offset 0.7,0.5"));
}

TEST_CASE("chart: names of points avoid level lines and whiskers") {
  Chart chart = small_chart();
  chart.curves[0].x = {0, 5, 10};
  chart.curves[0].y = {1, 2, 3};
  chart.curves[0].names = {"", "middle", ""};
  CHECK(holds(chart_script(chart), "'middle' at 5,2 left offset 0.7,0.5"));
  Chart lined = chart;
  lined.curves.push_back({"", {0, 10}, {2.04, 2.04}, {}, {}, CurveStyle::dashed});
  CHECK(holds(chart_script(lined), "'middle' at 5,2 left offset 0.7,-0.5"));
  chart.curves[0].x[2] = 5.3;
  chart.curves[0].low = {1, 2, 1}, chart.curves[0].high = {1, 2, 3};
  CHECK(holds(chart_script(chart), "'middle' at 5,2 right offset -0.7,0.5"));
}

TEST_CASE("chart: the axis leaves room for a name on the right of the last point") {
  Chart chart = small_chart();
  chart.curves[0].style = CurveStyle::points;
  chart.curves[0].names = {"", "", "name of 20 letters.."};
  // (20 letters of 6.4 pixels + 14) of 450 pixels is 0.3156 of the span: 1.08 * 0.3156 / 0.6844.
  CHECK(holds(chart_script(chart), "set xrange [-1.6:29.95"));
  CHECK(holds(chart_script(chart), "set label 'name of 20 letters..' at 20,3 left offset"));
}

TEST_CASE("chart: categories are names at whole numbers, turned when they are long") {
  Chart chart = small_chart();
  chart.categories = {"easy", "it's"};
  CHECK(holds(chart_script(chart), "set xtics ('easy' 0, 'it\u2019s' 1) noenhanced \n"));
  CHECK(holds(chart_script(chart), "set xrange [-0.6:1.6]"));
  chart.categories.assign(12, "a rather long name");
  CHECK(holds(chart_script(chart), "rotate by -35"));
  // Two long neighbours are enough, however short the others.
  chart.categories = {"a", "b", "c", "a rather long name", "a rather long name", "d"};
  CHECK(holds(chart_script(chart), "rotate by -35"));
}

TEST_CASE("chart: a turned last name has room on the right") {
  const auto margin = [](const std::string& last) {
    Chart chart{.x_label = "", .y_label = "y"};
    chart.categories = {std::string(60, 'a'), std::string(60, 'b'), last};
    chart.curves.push_back({"", {0, 1, 2}, {1, 2, 3}});
    const std::string script = chart_script(chart);
    const std::size_t at = script.find("set rmargin ");
    REQUIRE(at != std::string::npos);
    return std::stoi(script.substr(at + 12));
  };
  CHECK(margin("c") == 6);
  // 60 letters of 7.4 pixels, turned by 35 degrees: 364 pixels, of which 90 are below the plot.
  CHECK(margin(std::string(60, 'c')) == 39);
}

TEST_CASE("chart: without a finite point there is a note and no picture") {
  Chart chart = small_chart();
  chart.curves[0].y = {missing, missing, missing};
  CHECK_FALSE(chart.has_data());
  HtmlPage page("t");
  add_figure(page, "Loss.", chart, [](const std::string&) { return "PICTURE"; });
  CHECK_FALSE(holds(page.html(), "PICTURE"));
  CHECK(holds(page.html(), "Not recorded in this run: loss (nats) against step."));
  add_figure(page, "Loss.", small_chart(), [](const std::string&) { return "PICTURE"; });
  CHECK(holds(page.html(), "<figcaption>Loss.</figcaption>\nPICTURE"));
}

TEST_CASE("chart: a heat map has its values as colours and as numbers, and lines between groups") {
  HeatMap map{.x_label = "head", .y_label = "", .value_label = "share"};
  map.columns = {"1", "2"};
  map.rows = {"layer 1"};
  map.values = {{0.25, 1}};
  map.groups = {"first", "second"};
  const std::string script = heat_map_script(map);
  CHECK(holds(script, "$d << EOD\n0 0 0.25 0.25\n1 0 1 1.00\nEOD\n"));
  CHECK(holds(script, "set cbrange [0:1]"));
  CHECK(holds(script, "set arrow from first 0.5,graph 0 to first 0.5"));
}

TEST_CASE("chart: a heat map of another size than its names is an error") {
  HeatMap map{.x_label = "", .y_label = "", .value_label = ""};
  map.rows = {"a"};
  CHECK_THROWS_WITH_AS(heat_map_script(map), "heat map: 0 rows of values for 1 names",
                       std::invalid_argument);
  map.columns = {"x", "y"};
  map.values = {{1}};
  CHECK_THROWS_WITH_AS(heat_map_script(map), "heat map: 1 values in a row of 2 columns",
                       std::invalid_argument);
}
