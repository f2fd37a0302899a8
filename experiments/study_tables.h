#pragma once

#include "experiments/html.h"
#include "experiments/study_runs.h"

namespace bf {

/// A row for each variant on each data set, mean ± standard deviation over its seeds. FLOPs and
/// time are set against the group's reference; columns that no run fills are left out.
ReportTable study_table(const StudyPart& part);
/// What it took: time, FLOPs (cut from the same model with every head), memory, energy. Memory of
/// training only where the model was trained for its run.
ReportTable cost_table(const StudyPart& part);

/// Rank correlations (Spearman) of the heads and the budget of a text with its difficulty, loss and
/// length; a row for each variant that has any.
ReportTable correlation_table(const StudyPart& part);

/// Accuracy and heads in all layers by difficulty or by kind (`field`: "by_difficulty" or
/// "by_kind"), a column pair for each name; no rows where no run has them.
ReportTable grouped_table(const StudyPart& part, const std::string& field);

/// For whom the heads are: of each model that chooses them, the classes with the fewest and the
/// most heads, the tenths of the texts with the lowest and the highest s, and the heads that most
/// texts run.
ReportTable whom_table(const StudyPart& part);
/// The heads that more than half of the texts run, "1/4 2/2" for head 4 of layer 1 and head 2 of
/// layer 2, by the field "head_usage" of a group of texts; "" without it.
std::string usual_heads(const nlohmann::json& texts);

/// The names under `field` of any run, in the order of the first that has them.
std::vector<std::string> names_in(const StudyPart& part, const std::string& field);
std::vector<std::string> names_in(const StudyGroup& group, const std::string& field);
/// `value` ("accuracy", "heads_mean_total") of the entry `name` under `field`; NaN if there is
/// none.
double grouped_value(const StudyRun& run, const std::string& field, const std::string& name,
                     const std::string& value);

}  // namespace bf
