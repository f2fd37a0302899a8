#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text that comes from outside (files, command lines) on its way to a terminal.
namespace bf {

/// Bytes of the well-formed UTF-8 character that begins at `at`; 0 if there is none (overlong forms
/// and surrogates are not).
std::size_t utf8_length(std::string_view text, std::size_t at);

/// `text` on one line that no terminal obeys: control characters (also those of two bytes, U+0080
/// to U+009F), line separators and marks that turn the direction of writing become spaces, bytes
/// that are not UTF-8 become "?".
std::string printable(std::string_view text);

/// The beginning of a text for a message: printable, and "..." after `most` bytes.
std::string shortened(std::string_view text, std::size_t most = 60);

}  // namespace bf
