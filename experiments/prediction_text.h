#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "train/predict.h"

namespace bf {

/// The next line of a stream, without its line break; false at the end. Throws std::runtime_error
/// for a line of more than 16 MiB and for a stream that cannot be read (no part of a line is
/// returned then), naming `number` as that of the line.
bool next_line(std::FILE* in, std::string& line, Index number);

/// One input of bf-predict.
struct InputText {
  std::string text, second;
};

/// Line `number` of stdin: a text, or with `jsonl` an object with "text" and perhaps "second".
/// Throws std::runtime_error, "stdin:NUMBER: rule", for bytes that are not UTF-8 and other JSON.
InputText read_input(const std::string& line, Index number, bool jsonl);

/// "label<TAB>probability<TAB>s, mean over layers<TAB>heads run in each layer"; s is 1 for mha.
/// The text is not repeated, and control characters in a class name are shown as spaces.
std::string prediction_line(const Prediction& prediction,
                            const std::vector<std::string>& class_names);
nlohmann::json prediction_json(const Prediction& prediction,
                               const std::vector<std::string>& class_names);

}  // namespace bf
