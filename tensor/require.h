#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace bf {

/// All parts written one after another with operator<<.
template <typename... Parts>
std::string join_parts(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// Throws std::invalid_argument with the joined parts unless `condition` holds: for a caller's
/// mistake. The text is made only on failure. Write it as "operation: rule: the numbers".
template <typename... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) throw std::invalid_argument(join_parts(parts...));
}

/// The same with std::runtime_error: for files, checkpoints and data ("file:line: rule: value").
template <typename... Parts>
void require_data(bool condition, const Parts&... parts) {
  if (!condition) throw std::runtime_error(join_parts(parts...));
}

/// The same with std::logic_error: for a call in the wrong state.
template <typename... Parts>
void require_state(bool condition, const Parts&... parts) {
  if (!condition) throw std::logic_error(join_parts(parts...));
}

}  // namespace bf
