#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tensor/real.h"

// The runs of a study, as they stand in its files PART.jsonl: one object per run.
namespace bf {

/// One trained model on one data set.
struct StudyRun {
  std::string dataset, variant, command;
  double seed = 0;
  nlohmann::json record;  ///< the whole object

  bool budgets() const;       ///< whether it chooses heads: it reports them for each layer
  double heads_mean() const;  ///< mean over layers; H where all run
  /// Whether this model was trained for itself: false for another's model that is run differently.
  bool trained() const;
  double test(const std::string& field) const;
};

/// A number of one run; NaN where it was not recorded.
using Measure = std::function<double(const StudyRun&)>;

double accuracy_of(const StudyRun& run);  ///< on the test rows
double executed_of(const StudyRun& run);  ///< FLOPs per text
double seconds_of(const StudyRun& run);   ///< per 1,000 texts
double heads_of(const StudyRun& run);     ///< run.heads_mean()

/// The runs of one variant on one data set: its seeds.
struct StudyGroup {
  std::string dataset, variant;
  std::vector<StudyRun> runs;

  std::string reference_name() const;  ///< the variant that its first run names; empty for none
  std::vector<double> values(const Measure& measure) const;
  double mean(const Measure& measure) const;
};

/// One part of a study; groups in the order in which the file has them, data set by data set.
struct StudyPart {
  std::string name;
  std::vector<StudyGroup> groups;

  std::vector<std::string> datasets() const;
  /// Null when there is none.
  const StudyGroup* find(const std::string& dataset, const std::string& variant) const;
  /// The variants "OF-NUMBER" of the data set, in the order of the file.
  std::vector<const StudyGroup*> family(const std::string& dataset, const std::string& of) const;
  /// What the data set is compared with: the variant "mha".
  const StudyGroup* reference(const std::string& dataset) const { return find(dataset, "mha"); }
  /// What the group is compared with: the variant that its runs name as their "reference"; itself
  /// where others name it; else "mha". Null when the part does not have it.
  const StudyGroup* reference(const StudyGroup& group) const;
};

/// The part that these records make. `file` and their `lines` in it (from 1; by default 1, 2, ...)
/// are what errors name. Throws std::runtime_error for a run without data set or variant, and for a
/// second run of the same data set, variant and seed.
StudyPart study_part(const std::string& name, std::vector<nlohmann::json> records,
                     const std::string& file, std::vector<Index> lines = {});
/// The same of PART.jsonl; empty when the folder has no such file. Throws also for a line that is
/// no JSON object.
StudyPart read_study_part(const std::string& folder, const std::string& name);

/// The measure of each run beside that of the reference run with the same seed, or beside the
/// reference's mean where no run has that seed. Empty without reference.
std::vector<std::pair<double, double>> beside(const StudyGroup& group, const StudyGroup* reference,
                                              const Measure& measure);
/// own - reference for each run, and own / reference.
std::vector<double> differences(const StudyGroup& group, const StudyGroup* reference,
                                const Measure& measure);
std::vector<double> ratios(const StudyGroup& group, const StudyGroup* reference,
                           const Measure& measure);

/// The number at the end of a variant's name ("budget-0.125" gives 0.125), or NaN.
double number_in(const std::string& variant);
/// What stands before that number and its "-": "budget"; the whole name where there is none.
std::string family_of(const std::string& variant);

}  // namespace bf
