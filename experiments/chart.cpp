#include "experiments/chart.h"

#include <algorithm>
#include <sstream>

#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

const char* colour_code(Colour colour) {
  switch (colour) {
    case Colour::blue:
      return "#0072b2";
    case Colour::vermillion:
      return "#d55e00";
    case Colour::green:
      return "#009e73";
    case Colour::purple:
      return "#cc79a7";
    case Colour::orange:
      return "#e69f00";
    case Colour::sky:
      return "#56b4e9";
    case Colour::grey:
      return "#777777";
    default:
      return "#1a1a1a";
  }
}

struct Span {
  double low = std::numeric_limits<double>::infinity(),
         high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value), high = std::max(high, value);
  }
  void add(const std::vector<double>& values) {
    for (const double value : values) add(value);
  }
  /// With some room at both ends, so that no point sits on the frame.
  Span widened(double below, double above) const {
    const double size = high > low ? high - low : std::max(1e-6, 0.2 * std::abs(high));
    return {low - below * size, high + above * size};
  }
};

std::string range(const Span& span) { return join_parts('[', span.low, ':', span.high, ']'); }

void head(std::ostringstream& script, Index width, Index height) {
  script << "set terminal svg size " << width << ',' << height
         << " font 'DejaVu Sans,13' background '#ffffff'\n"
         << "set border 3 lc rgb '#555555'\nset tics nomirror out\n"
         << "set style fill solid 1.0 noborder\n";
}

void labels(std::ostringstream& script, const std::string& x, const std::string& y) {
  script << "set xlabel " << gnuplot_string(x) << " noenhanced\n"
         << "set ylabel " << gnuplot_string(y) << " noenhanced\n";
}

/// Names on an axis are formats for the number behind them: a % has to be doubled.
std::string tic_name(const std::string& name) {
  std::string text;
  for (const char c : name) text += std::string(c == '%' ? 2 : 1, c);
  return gnuplot_string(text);
}

void tic_names(std::ostringstream& script, const char* axis, const std::vector<std::string>& names,
               const char* options) {
  script << "set " << axis << " (";
  for (Index i = 0; i < names.size(); ++i) {
    script << (i ? ", " : "") << tic_name(names[i]) << ' ' << i;
  }
  script << ") noenhanced " << options << '\n';
}

void number(std::ostringstream& script, double value) {
  if (std::isfinite(value)) {
    script << value << ' ';
  } else {
    script << "NaN ";
  }
}

void data(std::ostringstream& script, Index index, const Curve& curve) {
  script << "$d" << index << " << EOD\n";
  for (Index i = 0; i < curve.x.size(); ++i) {
    number(script, curve.x[i]);
    number(script, curve.y[i]);
    number(script, curve.low.empty() ? missing : curve.low[i]);
    number(script, curve.high.empty() ? missing : curve.high[i]);
    script << '\n';
  }
  script << "EOD\n";
}

/// The parts of the plot command for one curve.
std::vector<std::string> plots(Index index, const Curve& curve) {
  const std::string from = join_parts("$d", index, " using 1:");
  const std::string colour = join_parts("lc rgb '", colour_code(curve.colour), "'");
  const std::string title =
      curve.label.empty() ? "notitle" : "title " + gnuplot_string(curve.label) + " noenhanced";
  const bool spread = !curve.low.empty();
  // Arrows with flat heads: gnuplot's error bars wipe out what is behind their middle.
  const std::string whisker = "3:(0):($4-$3)",
                    whiskers = "vectors heads size screen 0.006,90 lw 1.5 ";
  std::vector<std::string> parts;
  const auto add = [&](const std::string& columns, const std::string& how) {
    parts.push_back(from + columns + " with " + how);
  };
  switch (curve.style) {
    case CurveStyle::line:
    case CurveStyle::line_points:
      if (spread) {
        add("3:4", "filledcurves fc rgb '" + std::string(colour_code(curve.colour)) +
                       "' fs transparent solid 0.18 notitle");
      }
      add("2", (curve.style == CurveStyle::line ? "lines lw 2 " : "linespoints lw 2 pt 7 ps 0.6 ") +
                   colour + ' ' + title);
      break;
    case CurveStyle::dashed:
      add("2", "lines lw 2 dt 2 " + colour + ' ' + title);
      break;
    case CurveStyle::points:
      if (spread) add(whisker, whiskers + colour + " notitle");
      add("2", "points pt 7 ps 0.9 " + colour + ' ' + title);
      break;
    case CurveStyle::bars:
      add("2", "boxes " + colour + ' ' + title);
      if (spread) add(whisker, whiskers + "lc rgb '#1a1a1a' notitle");
      break;
  }
  return parts;
}

/// Pixels: of the margins around a plot, of a letter in a point's name.
constexpr double around = 130, name_letter = 6.4;

/// What the axes span.
struct Frame {
  Span x, y;
};

Frame frame_of(const Chart& chart) {
  Span x, y;
  Index longest = 0;  // name
  bool bars = false;
  for (const Curve& curve : chart.curves) {
    x.add(curve.x), y.add(curve.y), y.add(curve.low), y.add(curve.high);
    for (const std::string& name : curve.names) longest = std::max(longest, name.size());
    bars = bars || curve.style == CurveStyle::bars;
  }
  y.add(chart.highest);
  x.add(chart.mark);
  if (chart.from_zero) y.add(0);
  const bool on_zero = chart.from_zero && y.low == 0;
  y = y.widened(on_zero ? 0 : 0.06, 0.08);
  if (!chart.categories.empty()) {
    x = {-0.6, static_cast<double>(chart.categories.size()) - 0.4};
  } else if (bars) {  // of whole numbers
    x = {x.low - 0.6, x.high + 0.6};
  } else if (chart.log_x) {
    x = {x.low / 1.15, x.high * 1.15};
  } else {
    // A name on the right of the last point takes so much of the picture, at most a third.
    const double name = std::min(0.33, (name_letter * static_cast<double>(longest) + 14) /
                                           (static_cast<double>(chart.width) - around));
    const double below = longest > 0 ? 0.08 : 0.03;
    x = x.widened(below, longest > 0 ? (1 + below) * name / (1 - name) : 0.04);
  }
  return {x, y};
}

/// Entries of the key that fit side by side: gnuplot takes letters for narrower than they are.
Index key_columns(const Chart& chart) {
  constexpr Index letter = 8, sample = 58, margins = 110;  // pixels
  Index longest = 1;
  for (const Curve& curve : chart.curves) longest = std::max(longest, curve.label.size());
  return std::max<Index>(1, (chart.width - margins) / (longest * letter + sample));
}

/// Whether the names of the categories fit side by side below the axis.
bool names_fit(const Chart& chart) {
  constexpr Index letter = 7, gap = 10, margins = 90;  // pixels
  const std::vector<std::string>& names = chart.categories;
  const Index place = (chart.width - margins) / names.size();
  for (Index i = 1; i < names.size(); ++i) {
    if ((names[i - 1].size() + names[i].size()) * letter / 2 + gap > place) return false;
  }
  return true;
}

/// Letters to leave on the right for a turned last name, of which a part is below the plot.
Index right_margin(const Chart& chart) {
  constexpr double letter = 7.4, cosine = 0.82;  // pixels; of 35 degrees
  const double name = cosine * letter * static_cast<double>(chart.categories.back().size());
  const double below = 0.6 * (static_cast<double>(chart.width) - around) /
                       static_cast<double>(chart.categories.size());
  return static_cast<Index>(std::max(6.0, std::ceil((name - below) / letter) + 1));
}

void axes(std::ostringstream& script, const Chart& chart, const Frame& frame) {
  script << "set xrange " << range(frame.x) << "\nset yrange " << range(frame.y) << '\n';
  if (chart.log_x) script << "set logscale x\nset format x '%g'\n";
  const bool bars = !chart.curves.empty() && chart.curves[0].style == CurveStyle::bars;
  if (bars && chart.categories.empty() && frame.x.high - frame.x.low <= 22) {
    script << "set xtics 1\n";
  }
  if (chart.categories.empty()) return;
  const bool turn = !names_fit(chart);
  tic_names(script, "xtics", chart.categories, turn ? "rotate by -35" : "");
  if (turn) script << "set rmargin " << right_margin(chart) << '\n';
}

/// A rectangle in pixels.
struct Box {
  double left, bottom, width, height;
  bool meets(const Box& other) const {
    return left < other.left + other.width && other.left < left + width &&
           bottom < other.bottom + other.height && other.bottom < bottom + height;
  }
};

double meetings(const Box& box, const std::vector<Box>& others) {
  return static_cast<double>(std::count_if(others.begin(), others.end(),
                                           [&](const Box& other) { return box.meets(other); }));
}

/// Names beside their points: to that of eight places where the fewest names and points are yet,
/// then the fewest whiskers and level lines.
void point_names(std::ostringstream& script, const Chart& chart, const Frame& frame) {
  constexpr double line = 12;  // pixels
  const auto place = [](double value, const Span& span, Index pixels) {
    return (value - span.low) / (span.high - span.low) * (static_cast<double>(pixels) - around);
  };
  const double rightmost = static_cast<double>(chart.width) - around + 10;
  const auto across = [&](double x) { return place(x, frame.x, chart.width); };
  const auto above = [&](double y) { return place(y, frame.y, chart.height); };
  std::vector<Box> taken, lines;
  for (const Curve& curve : chart.curves) {
    for (Index i = 0; i < curve.names.size(); ++i) {
      taken.push_back({across(curve.x[i]) - 4, above(curve.y[i]) - 4, 8, 8});
    }
  }
  for (const Curve& curve : chart.curves) {
    for (Index i = 0; i < curve.names.size() && !curve.low.empty(); ++i) {
      const double low = above(curve.low[i]);
      lines.push_back({across(curve.x[i]) - 2, low, 4, above(curve.high[i]) - low});
    }
    const bool level = curve.x.size() == 2 && curve.y[0] == curve.y[1];
    if (level && curve.style == CurveStyle::dashed) {
      const double left = across(curve.x[0]);
      lines.push_back({left, above(curve.y[0]) - 2, across(curve.x[1]) - left, 4});
    }
  }
  Index point = 0;
  for (const Curve& curve : chart.curves) {
    for (Index i = 0; i < curve.names.size(); ++i, ++point) {
      if (!std::isfinite(curve.x[i]) || !std::isfinite(curve.y[i])) continue;
      const double width = name_letter * static_cast<double>(curve.names[i].size());
      bool right = true;
      double up = 0, least = std::numeric_limits<double>::infinity();
      Box best{};
      for (const double height : {0.5, -0.5, 1.4, -1.4}) {
        for (const bool side : {true, false}) {
          const Box box{taken[point].left + 4 + (side ? 6 : -6 - width),
                        taken[point].bottom + 4 + height * 13 - line / 2, width, line};
          const bool inside = box.left > 0 && box.left + width < rightmost;
          const double meets =
              meetings(box, taken) + meetings(box, lines) / 10 + (inside ? 0 : 100);
          if (meets < least) least = meets, best = box, right = side, up = height;
        }
      }
      taken.push_back(best);
      script << "set label " << gnuplot_string(curve.names[i]) << " at " << curve.x[i] << ','
             << curve.y[i] << (right ? " left offset 0.7," : " right offset -0.7,") << up
             << " noenhanced font ',11' front\n";
    }
  }
}

/// Names above the columns, and a line between each two groups.
void column_groups(std::ostringstream& script, const HeatMap& map) {
  if (map.groups.empty()) return;
  const double width =
      static_cast<double>(map.columns.size()) / static_cast<double>(map.groups.size());
  for (Index g = 0; g < map.groups.size(); ++g) {
    const double begin = static_cast<double>(g) * width - 0.5;
    script << "set label " << gnuplot_string(map.groups[g]) << " at first " << begin + width / 2
           << ",graph 1.06 center noenhanced\n";
    if (g == 0) continue;
    script << "set arrow from first " << begin << ",graph 0 to first " << begin
           << ",graph 1.08 nohead lc rgb '#1a1a1a' lw 2 front\n";
  }
  script << "set tmargin 2.5\n";
}

}  // namespace

std::string gnuplot_string(const std::string& text) {
  std::string result = "'";
  for (const char c : plain_text(text)) result += c == '\'' ? "\u2019" : std::string(1, c);
  return result + '\'';
}

bool Chart::has_data() const {
  for (const Curve& curve : curves) {
    for (Index i = 0; i < curve.x.size(); ++i) {
      if (std::isfinite(curve.x[i]) && std::isfinite(curve.y[i])) return true;
    }
  }
  return false;
}

std::string chart_script(const Chart& chart) {
  std::ostringstream script;
  script.precision(10);
  head(script, chart.width, chart.height);
  labels(script, chart.x_label, chart.y_label);
  script << "set grid ytics lc rgb '#e0e0e0' lw 1 dt 1\nset boxwidth " << chart.bar_width << '\n'
         << "set key outside top left horizontal Left reverse samplen 2 maxcols "
         << key_columns(chart) << '\n';
  const Frame frame = frame_of(chart);
  axes(script, chart, frame);
  point_names(script, chart, frame);
  if (std::isfinite(chart.mark)) {
    script << "set arrow from first " << chart.mark << ",graph 0 to first " << chart.mark
           << ",graph 1 nohead lc rgb '#777777' dt 2 lw 1.5\n";
  }
  std::string command;
  for (Index i = 0; i < chart.curves.size(); ++i) {
    data(script, i, chart.curves[i]);
    for (const std::string& part : plots(i, chart.curves[i])) {
      command += (command.empty() ? "plot " : ", \\\n  ") + part;
    }
  }
  script << command << '\n';
  return script.str();
}

std::string heat_map_script(const HeatMap& map) {
  require(map.values.size() == map.rows.size(), "heat map: ", map.values.size(),
          " rows of values for ", map.rows.size(), " names");
  for (const auto& row : map.values) {
    require(row.size() == map.columns.size(), "heat map: ", row.size(), " values in a row of ",
            map.columns.size(), " columns");
  }
  std::ostringstream script;
  script.precision(6);
  head(script, map.width, map.height);
  labels(script, map.x_label, map.y_label);
  script << "unset key\nset border 0\nset tics scale 0\nset cblabel "
         << gnuplot_string(map.value_label) << " noenhanced\nset cbrange "
         << range({map.low, map.high > map.low ? map.high : map.low + 1})
         << "\nset palette defined (0 '#f4f8fb', 0.5 '#5aa5d0', 1 '#08306b')\n"
         << "set xrange [-0.5:" << static_cast<double>(map.columns.size()) - 0.5 << "]\n"
         << "set yrange [" << static_cast<double>(map.rows.size()) - 0.5 << ":-0.5]\n";
  tic_names(script, "xtics", map.columns, "");
  tic_names(script, "ytics", map.rows, "");
  column_groups(script, map);
  script << "$d << EOD\n";
  for (Index r = 0; r < map.rows.size(); ++r) {
    for (Index c = 0; c < map.columns.size(); ++c) {
      const double value = map.values[r][c];
      if (!std::isfinite(value)) continue;
      script << c << ' ' << r << ' ' << value << ' ' << (value == 0 ? "0" : fixed_digits(value, 2))
             << '\n';
    }
  }
  const double middle = (map.low + map.high) / 2;
  script << "EOD\nplot $d using 1:2:($1-0.48):($1+0.48):($2-0.47):($2+0.47):3 with boxxyerror "
            "fs solid 1 noborder fc palette notitle";
  if (map.with_numbers) {
    script << ", \\\n  $d using 1:($3>" << middle
           << "?NaN:$2):4 with labels tc rgb '#1a1a1a' font ',11' notitle"
           << ", \\\n  $d using 1:($3>" << middle
           << "?$2:NaN):4 with labels tc rgb '#ffffff' font ',11' notitle";
  }
  script << '\n';
  return script.str();
}

void add_figure(HtmlPage& page, const std::string& sentence, const Chart& chart, const Draw& draw) {
  if (chart.has_data()) {
    page.figure(sentence, draw(chart_script(chart)));
  } else {
    page.note("Not recorded in this run: " + chart.y_label + " against " + chart.x_label + '.');
  }
}

void add_figure(HtmlPage& page, const std::string& sentence, const HeatMap& map, const Draw& draw) {
  if (!map.values.empty()) page.figure(sentence, draw(heat_map_script(map)));
}

}  // namespace bf
