#pragma once

#include "experiments/study_curves.h"
#include "experiments/study_runs.h"

// What the pictures of a study show. Points are means over seeds; whiskers are one standard
// deviation to each side.
namespace bf {

/// Accuracy against the reference by time saved; heads run, and time beside FLOPs saved, by data
/// set.
std::vector<Figure> main_figures(const StudyPart& part);
/// Heads and accuracy by difficulty and by kind.
std::vector<Figure> mixed_figures(const StudyPart& part);
/// Accuracy of every variant, and over training that with the selected heads beside that with the
/// soft gates (variants "budget", "relaxed", "paper-estimator"); two pictures for each data set.
std::vector<Figure> ablation_figures(const StudyPart& part);
/// Accuracy and speed against the budget put on one model: variants "budget-0.125" and, for a model
/// trained with jitter, "jitter-budget-0.125"; two pictures for each data set.
std::vector<Figure> budget_figures(const StudyPart& part);
/// s against layers, heads and training rows: variants "layers-4", "heads-16", "rows-1200", with or
/// without a word and "-" before them.
std::vector<Figure> scaling_figures(const StudyPart& part);

}  // namespace bf
