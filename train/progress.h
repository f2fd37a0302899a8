#pragma once

#include <chrono>
#include <ostream>
#include <string>

namespace bf {

/// What a long run shows while it works: on a terminal one live line that is written over,
/// otherwise plain lines only, so that a log file stays readable.
class Progress {
 public:
  explicit Progress(std::ostream& out, bool live) : out_(out), live_(live) {}
  /// On stderr; live if that is a terminal.
  static Progress on_stderr();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The live line; at most ten times a second. Nothing where there is no terminal.
  void update(const std::string& text);
  /// A line that stays.
  void line(const std::string& text);
  /// Removes the live line.
  void clear();
  bool live() const { return live_; }

 private:
  std::ostream& out_;
  bool live_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace bf
