#include "train/progress.h"

#include <unistd.h>

#include <iostream>

#include "tensor/printable.h"

namespace bf {

Progress Progress::on_stderr() { return Progress(std::cerr, isatty(STDERR_FILENO) == 1); }

void Progress::update(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || (shown_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  shown_ = true;
  // Back to the first column, and erase to the end of the line (ECMA-48).
  out_ << '\r' << printable(text) << "\033[K" << std::flush;
}

void Progress::line(const std::string& text) {
  clear();
  out_ << printable(text) << std::endl;
}

void Progress::clear() {
  if (shown_) out_ << "\r\033[K" << std::flush;
  shown_ = false;
}

}  // namespace bf
