#pragma once

#include <functional>
#include <string>

namespace bf {

/// Makes a picture (markup that can stand in a page) of a gnuplot script.
using Draw = std::function<std::string(const std::string& script)>;

/// Runs gnuplot once for each picture.
class Gnuplot {
 public:
  /// Throws std::runtime_error when `program` cannot be run.
  explicit Gnuplot(std::string program = "gnuplot");

  /// The picture as an <svg> element without references to anything outside, its ids different from
  /// those of every other picture of this object. Throws std::runtime_error with gnuplot's first
  /// line of complaint when it fails or puts out no picture.
  std::string draw(const std::string& script);

 private:
  /// What the program writes on stdout.
  std::string run(const std::string& script) const;

  std::string program_;
  int drawn_ = 0;
};

/// What gnuplot's SVG needs to stand inside a page: no prologue, no title that says "Gnuplot", no
/// addresses of name spaces, `prefix` before each id and reference.
std::string embedded_svg(const std::string& svg, const std::string& prefix);

/// An embedded picture as a file of its own, which has to name its name spaces again.
std::string svg_file(const std::string& embedded);

}  // namespace bf
