#include "experiments/gnuplot.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "experiments/chart.h"
#include "tests/temp_folder.h"

using namespace bf;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Pictures are optional, and so is gnuplot.
bool has_gnuplot() {
  try {
    Gnuplot gnuplot;
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("gnuplot: a program that is not there is named, with the package that has it") {
  CHECK_THROWS_WITH_AS(Gnuplot("no-such-gnuplot"),
                       "no-such-gnuplot: not found; pictures need it (Debian package gnuplot-nox)",
                       std::runtime_error);
}

TEST_CASE("gnuplot: a program that fails is reported with its words") {
  const TempFolder folder;
  const std::string program =
      folder.write("fails", "#!/bin/sh\necho 'no such thing' >&2\nexit 3\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  CHECK_THROWS_WITH_AS(Gnuplot{program}, (program + ": no such thing").c_str(), std::runtime_error);
}

TEST_CASE("gnuplot: a program that draws nothing is reported") {
  Gnuplot quiet("true");
  CHECK_THROWS_WITH_AS(quiet.draw("plot 1\nx"),
                       "gnuplot: made no picture; the script begins with plot 1",
                       std::runtime_error);
}

TEST_CASE("gnuplot: an embedded picture loads nothing and has ids of its own") {
  const std::string svg =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg \n width=\"4\"\n xmlns=\"http://a/b\"\n "
      "xmlns:xlink=\"http://c\"\n>\n<title>Gnuplot</title>\n<desc>Produced by</desc>\n"
      "<path id='gpPt0'/><use xlink:href='#gpPt0' filter='url(#f)'/><text>id='x' &lt;b></text>"
      "</svg>\n";
  const std::string inside = embedded_svg(svg, "p1-");
  CHECK(inside ==
        "<svg \n width=\"4\"\n\n\n>\n\n\n<path id='p1-gpPt0'/><use xlink:href='#p1-gpPt0' "
        "filter='url(#p1-f)'/><text>id='x' &lt;b></text></svg>\n");
  CHECK(svg_file("<svg width=\"4\"></svg>") ==
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
        "width=\"4\"></svg>");
  CHECK_THROWS_WITH_AS(svg_file("<g/>"), "svg_file: expected an <svg> element",
                       std::invalid_argument);
}

TEST_CASE("gnuplot: a hostile label is drawn as text and runs nothing") {
  if (!has_gnuplot()) return;
  const TempFolder folder;
  const std::string file = folder.path("made");
  Chart chart{.x_label = "`touch " + file + "` $x", .y_label = "</svg><script>alert(1)</script>"};
  chart.curves.push_back({"'; system('touch " + file + "'); '", {0, 1}, {0, 1}});
  chart.categories = {"\"a\" \\", "b\nset output 'x'", "44 % %s %n"};
  Gnuplot gnuplot;
  const std::string first = gnuplot.draw(chart_script(chart));
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK_FALSE(holds(first, "<script"));
  CHECK_FALSE(holds(first, "://"));
  CHECK(holds(first, "44 % %s %n"));
  CHECK(holds(first, "id='p1-gpPt0'"));
  CHECK(holds(gnuplot.draw(chart_script(chart)), "id='p2-gpPt0'"));
}

TEST_CASE("gnuplot: every style of chart and a heat map are drawn without complaint") {
  if (!has_gnuplot()) return;
  Gnuplot gnuplot;
  Chart chart{.x_label = "x", .y_label = "y"};
  const std::vector<double> x = {1, 2, 3}, y = {0.5, missing, 2}, low = {0, 0, 1}, high = {1, 1, 3};
  for (const CurveStyle style : {CurveStyle::line, CurveStyle::dashed, CurveStyle::points,
                                 CurveStyle::line_points, CurveStyle::bars}) {
    chart.curves.push_back({"a", x, y, low, high, style, Colour::blue, {"p", "q", "r"}});
  }
  chart.mark = 2;
  chart.log_x = true;
  CHECK(holds(gnuplot.draw(chart_script(chart)), "</svg>"));
  HeatMap map{.x_label = "head", .y_label = "", .value_label = "share"};
  map.columns = {"1", "2"};
  map.rows = {"layer 1"};
  map.values = {{0.25, 1}};
  CHECK(holds(gnuplot.draw(heat_map_script(map)), "</svg>"));
  CHECK_THROWS_AS(gnuplot.draw("plot no_such_thing\n"), std::runtime_error);
}
