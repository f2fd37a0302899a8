#pragma once

#include <cstdio>
#include <string>

/// One tar member as bytes: a ustar header with its checksum, and the content in blocks of 512.
inline std::string tar_member(const std::string& name, const std::string& content, char type = '0',
                              const std::string& prefix = "") {
  std::string header(512, '\0');
  const auto put = [&header](std::size_t at, const std::string& text) {
    header.replace(at, text.size(), text);
  };
  const auto octal = [](std::size_t value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%0*zo", digits, value);
    return std::string(text);
  };
  put(0, name);
  put(124, octal(content.size(), 11));
  put(156, std::string(1, type));
  put(257, "ustar");
  put(345, prefix);
  put(148, std::string(8, ' '));
  std::size_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + std::string("\0 ", 2));
  std::string padded = content;
  padded.resize((content.size() + 511) / 512 * 512, '\0');
  return header + padded;
}

/// The blocks of zeros that end an archive.
inline std::string tar_end() { return std::string(1024, '\0'); }
