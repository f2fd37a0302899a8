#pragma once

namespace bf {

/// While it lives, a first SIGINT or SIGTERM only sets a note that long work looks at now and then;
/// a second one ends the program at once. One object at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// Puts back what the signals did before.
  ~StopSignals();

  /// The signal that came, or 0.
  int received() const;
};

}  // namespace bf
