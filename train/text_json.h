#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "train/evaluate.h"

namespace bf {

/// Adds the summary to the JSON of its evaluation: "by_class", and where there are difficulties
/// "by_difficulty" and "by_kind"; for a model with budgets "cheapest_tenth", "dearest_tenth",
/// "s_histogram" (and one in each of "layers") and the correlations that are defined,
/// "spearman_difficulty_heads", "spearman_heads_loss" and so on.
void add_text_summary(const TextSummary& summary, nlohmann::json& evaluation);

/// The summary that add_text_summary() has put into the JSON of an evaluation; empty where it has
/// not. Throws std::runtime_error naming a value that is missing or of the wrong type.
TextSummary text_summary_from_json(const nlohmann::json& evaluation);

/// One text of an evaluation of `split`:
///   {"index", "label", "prediction", "loss", "tokens"}, for synthetic data "difficulty" and "kind"
/// as words, for a model with budgets "s": [per layer], "heads": [[those that ran] per layer].
/// Losses and s are rounded to 6 digits after the point.
nlohmann::json text_json(const Evaluation& evaluation, const TokenizedSplit& split, Index text);

/// Writes one such object a line for every text. The file appears whole or not at all. Throws
/// std::runtime_error as AtomicFile does.
void write_texts(const std::string& path, const Evaluation& evaluation,
                 const TokenizedSplit& split);

}  // namespace bf
