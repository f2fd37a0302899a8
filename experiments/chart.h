#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "experiments/gnuplot.h"
#include "experiments/html.h"
#include "tensor/real.h"

// What a picture shows, and the gnuplot script that draws it. Scripts hold no text but labels, in
// single quotes, where gnuplot replaces nothing.
namespace bf {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

enum class CurveStyle { line, dashed, points, line_points, bars };

/// The colours of Okabe and Ito, which colour-blind readers can tell apart, without the yellow that
/// is too light for a line on white.
enum class Colour { blue, vermillion, green, purple, orange, sky, black, grey };
constexpr Index colour_count = 6;  ///< from blue to sky: for curves in turn
inline Colour colour_in_turn(Index index) { return static_cast<Colour>(index % colour_count); }

struct Curve {
  std::string label;         ///< empty: not in the key
  std::vector<double> x, y;  ///< `missing` leaves a gap
  /// Ends of a band around a line, of whiskers otherwise; empty for none.
  std::vector<double> low = {}, high = {};
  CurveStyle style = CurveStyle::line;
  Colour colour = Colour::blue;
  std::vector<std::string> names = {};  ///< beside each point; empty for none
};

struct Chart {
  std::string x_label, y_label;
  std::vector<Curve> curves = {};
  std::vector<std::string> categories = {};  ///< names at x = 0, 1, ...; empty: numbers
  bool from_zero = false;                    ///< the y axis shows 0
  double highest = missing;                  ///< the y axis shows this, too
  bool log_x = false;
  double mark = missing;  ///< a vertical line at this x
  double bar_width = 0.8;
  Index width = 580, height = 330;  ///< pixels

  bool has_data() const;  ///< whether any point can be drawn
};

/// The gnuplot script for it. Axes span all points, whiskers and bands, so nothing is cut off.
std::string chart_script(const Chart& chart);

/// Values in cells, light (low) to dark (high).
struct HeatMap {
  std::string x_label, y_label, value_label;
  std::vector<std::string> columns = {}, rows = {};
  std::vector<std::vector<double>> values = {};  ///< [rows][columns]
  double low = 0, high = 1;
  std::vector<std::string> groups = {};  ///< names above equal groups of columns; empty for none
  bool with_numbers = true;              ///< each value in its cell
  Index width = 580, height = 330;
};

/// Throws std::invalid_argument unless there is a value for each row and column.
std::string heat_map_script(const HeatMap& map);

/// The picture on the page, below the sentence; a note that it was not recorded when it has no
/// data.
void add_figure(HtmlPage& page, const std::string& sentence, const Chart& chart, const Draw& draw);
void add_figure(HtmlPage& page, const std::string& sentence, const HeatMap& map, const Draw& draw);

/// `text` as a gnuplot string in single quotes, in which nothing is replaced. Control characters
/// become spaces, apostrophes typographic: gnuplot 5.4 misreads a doubled one at the start.
std::string gnuplot_string(const std::string& text);

}  // namespace bf
