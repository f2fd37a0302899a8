#pragma once

#include <string>

#include "experiments/study_runs.h"
#include "tests/temp_folder.h"

namespace bf {

/// One line of a study file: a run of 4 heads in one layer.
inline std::string study_line(const std::string& dataset, const std::string& variant, int seed,
                              double accuracy, double heads, double flops, double seconds) {
  const bool dense = variant == "mha";
  const auto number = [](double value) { return std::to_string(value); };
  std::string layers = dense ? "[]" : "[{\"heads_mean\": " + number(heads) + "}]";
  return "{\"dataset\": \"" + dataset + "\", \"variant\": \"" + variant +
         "\", \"seed\": " + std::to_string(seed) + ", \"command\": \"bf-train <" + variant +
         ">\", \"heads\": 4, \"seconds_per_1000_texts\": " + number(seconds) +
         ", \"test\": {\"accuracy\": " + number(accuracy) + ", \"s_mean\": " + number(heads / 4) +
         ", \"executed_flops_per_text\": " + number(flops) +
         ", \"dense_flops_per_text\": 100, \"layers\": " + layers + "}}\n";
}

/// The line with more fields, '"name": value, ...', of the run itself.
inline std::string with_fields(const std::string& line, const std::string& fields) {
  return line.substr(0, line.rfind('}')) + ", " + fields + "}\n";
}

/// A part of these lines alone.
inline StudyPart part_of(const std::string& lines) {
  const TempFolder folder;
  folder.write("any.jsonl", lines);
  return read_study_part(folder.path(), "any");
}

/// Two data sets, two seeds of mha and budget each.
inline void write_main_part(const TempFolder& folder) {
  folder.write("main.jsonl", study_line("trec", "mha", 1, 0.80, 4, 100, 2) +
                                 study_line("trec", "budget", 1, 0.81, 1, 50, 1.2) +
                                 study_line("r8", "mha", 1, 0.90, 4, 100, 2) +
                                 study_line("r8", "budget", 1, 0.88, 3, 80, 1.8) +
                                 study_line("trec", "mha", 2, 0.82, 4, 100, 2) +
                                 study_line("trec", "budget", 2, 0.83, 2, 60, 1.2));
}

}  // namespace bf
