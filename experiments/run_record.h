#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tensor/real.h"

namespace bf {

/// The number behind a path such as "/test/accuracy"; NaN where there is none.
double number_at(const nlohmann::json& json, const std::string& path);
/// The text, or `otherwise`. A number is written as JSON writes it.
std::string text_at(const nlohmann::json& json, const std::string& path,
                    const std::string& otherwise = "");
/// The numbers of the array behind the path; empty where there is none.
std::vector<double> numbers_at(const nlohmann::json& json, const std::string& path);

/// The objects of a file of JSON lines. A last line without its end (of a run that was killed) is
/// left out. `line_numbers`, if given, receives the line (from 1) of each object. Throws
/// std::runtime_error, "FILE:LINE: is not a JSON object".
std::vector<nlohmann::json> read_json_lines(const std::string& path,
                                            std::vector<Index>* line_numbers = nullptr);

/// One test text, as bf-train wrote it.
struct TestText {
  Index index = 0, label = 0, prediction = 0, tokens = 0;
  double loss = 0;
  std::string difficulty, kind;           ///< empty but for generated texts
  std::vector<double> budgets;            ///< s of each layer; empty for mha
  std::vector<std::vector<Index>> heads;  ///< that ran in each layer; empty for mha
  bool has_heads() const { return !heads.empty(); }
  double total_heads() const;  ///< summed over the layers
};

/// What a run folder says. Only config.json must be there.
struct RunRecord {
  std::string path;
  nlohmann::json config, summary;             ///< summary is null until the run is complete
  std::vector<nlohmann::json> steps, epochs;  ///< in order, each step or epoch once
  std::vector<TestText> texts;
  std::vector<std::string> class_names;  ///< empty without a model
  nlohmann::json timed;  ///< the line of a study that measured it; null: only the test pass did

  Index layers() const;
  Index heads() const;       ///< H
  bool budgets() const;      ///< whether the model chooses heads
  std::string name() const;  ///< "ag_news, budget"
  /// "ag_news"; as the study that measured it says it, "ag_news (44 %)", where one did.
  std::string dataset() const;
  std::string class_name(Index label) const;
  double test(const std::string& field) const { return number_at(summary, "/test/" + field); }
  /// Mean over texts and layers of the heads that ran; H for mha.
  double heads_mean() const;
  double executed_share() const;  ///< executed / dense FLOPs
  /// Per 1,000 texts: measured in turns with other models, or by the one test pass of the run.
  double seconds_per_1000() const;
  double joules_per_1000() const;
  double gco2_per_1000() const;
};

/// Throws std::runtime_error when `path` is not the folder of a run or a file in it cannot be read.
RunRecord read_run_record(const std::string& path);

/// Gives the run its line of `file`, the results.jsonl of bf-compare or bf-ablate: the one whose
/// command trained into this folder. Throws std::runtime_error when there is none.
void take_times(RunRecord& run, const std::string& file);

}  // namespace bf
