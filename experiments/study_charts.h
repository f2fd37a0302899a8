#pragma once

#include "experiments/chart.h"
#include "experiments/study_runs.h"

// What the pictures of a study show. Points are means over seeds; whiskers are one standard
// deviation to each side.
namespace bf {

/// A picture and the sentence above it.
struct Figure {
  std::string sentence;
  Chart chart;
};

/// Accuracy against the reference, heads run, and time saved against FLOPs saved, by data set.
std::vector<Figure> main_figures(const StudyPart& part);
/// Heads and accuracy by difficulty and by kind.
std::vector<Figure> mixed_figures(const StudyPart& part);
/// Accuracy of every variant, and over training that with the selected heads beside that with the
/// soft gates (variants "budget", "relaxed", "paper-estimator"); two pictures for each data set.
std::vector<Figure> ablation_figures(const StudyPart& part);
/// Accuracy and time by the heads that run, two pictures for each data set; a curve for each way to
/// fewer heads: variants "mha-1", "pruned-1", "fixed-0.125" and "budget-0.125" beside "budget".
std::vector<Figure> opponent_figures(const StudyPart& part);
/// Accuracy and speed against the budget put on one model: variants "budget-0.125" and, for a model
/// trained with jitter, "jitter-budget-0.125"; two pictures for each data set.
std::vector<Figure> budget_figures(const StudyPart& part);
/// s against layers, heads and training rows: variants "layers-4", "heads-16", "rows-1200", with or
/// without a word and "-" before them.
std::vector<Figure> scaling_figures(const StudyPart& part);

}  // namespace bf
