#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tensor/require.h"

// What the fuzz targets share. A target reads bytes as if they were a file from outside. The reader
// may take them, or throw std::runtime_error or std::invalid_argument with one printable line; all
// else (another exception, a broken promise, a sanitizer's report) is a finding. tests/fuzz.sh runs
// the targets under libFuzzer, tests/test_fuzz_corpus.cpp runs the kept inputs in every test run.
namespace bf::fuzz {

/// The targets, one file of this folder each.
void clean(std::string_view bytes);
void config(std::string_view bytes);
void checkpoint(std::string_view bytes);
void csv(std::string_view bytes);
void gzip(std::string_view bytes);
void jsonl(std::string_view bytes);
void lines(std::string_view bytes);
void model(std::string_view bytes);
void packages(std::string_view bytes);
void predict(std::string_view bytes);
void report(std::string_view bytes);
void safetensors(std::string_view bytes);
void study(std::string_view bytes);
void summary(std::string_view bytes);
void tar(std::string_view bytes);
void tokenizer(std::string_view bytes);

/// A promise of the code under test that does not hold.
struct Broken : std::logic_error {
  using std::logic_error::logic_error;
};

template <typename... Parts>
void expect(bool condition, const Parts&... parts) {
  if (!condition) throw Broken(join_parts(parts...));
}

/// Nothing that a terminal obeys, and all of it UTF-8.
void expect_printable(std::string_view text);
/// Nothing that clean_text() takes out, and all of it UTF-8.
void expect_clean(std::string_view text);

/// What an error says has to be one printable line of at most 2,000 bytes that begins with
/// `beginning`.
void expect_message(std::string_view beginning, std::string_view message);
/// Runs `read`, which may throw an error with such a message. Returns whether there was none.
bool refused_well(std::string_view beginning, const std::function<void()>& read);

/// A file without a place on disk, one for a process and number: reading its path reads `bytes`.
std::string memory_file(std::string_view bytes, int number = 0);
/// The folder of a target, in memory where there is /dev/shm; it goes with the process.
std::string folder_of(std::string_view target);
/// `name` in a folder becomes memory_file(bytes, number).
void place(const std::string& folder, const std::string& name, std::string_view bytes, int number);

/// The first byte, taken off `bytes`: which of `count` ways to go; 0 when there is none.
int choice(std::string_view& bytes, int count);

}  // namespace bf::fuzz
