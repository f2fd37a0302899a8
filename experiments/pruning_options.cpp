#include "experiments/pruning_options.h"

#include <nlohmann/json.hpp>
#include <numeric>

#include "experiments/table.h"
#include "experiments/trained_model_options.h"
#include "tensor/require.h"
#include "train/pruning.h"

namespace bf {
namespace {

bool given(const OptionValues& values, const char* name) {
  return values.count(name) != 0 && !values[name].defaulted();
}

/// A size that was given has to be that of the model.
template <typename Value>
void require_equal(const OptionValues& values, const char* name, const Value& asked,
                   const Value& has, const std::string& folder) {
  if (!given(values, name) || asked == has) return;
  throw UsageError(
      join_parts("--", name, ": the model in ", folder, " has ", has, ", got ", asked));
}

void check_sizes(const RunOptions& run, const TrainedModel& source, const OptionValues& values) {
  const TransformerConfig& asked = run.model.transformer;
  const TransformerConfig& has = source.model.config.transformer;
  const std::string& folder = run.prune_from;
  require_equal(values, "dim", asked.dim, has.dim, folder);
  require_equal(values, "layers", asked.layers, has.layers, folder);
  require_equal(values, "head-width", asked.width, head_width(has.dim, has.heads, has.width),
                folder);
  require_equal(values, "ffn", asked.hidden(), has.hidden(), folder);
  require_equal(values, "positions", asked.positions, has.positions, folder);
  require_equal(values, "max-len", run.tokenizer.max_length, source.max_length, folder);
  for (const char* name : {"tokenizer", "vocab-size", "min-count"}) {
    if (!given(values, name)) continue;
    throw UsageError(
        join_parts("--", name, ": not with --prune-from, which takes the tokenizer of ", folder));
  }
}

}  // namespace

void add_prune_option(OptionList& options, RunOptions& run) {
  add_text(
      options, "prune-from", run.prune_from,
      "run folder of a trained mha: begin with its --heads most important heads of each layer");
}

TrainedModel load_prune_source(RunOptions& run, const OptionValues& values) {
  const std::string& folder = run.prune_from;
  if (!given(values, "heads")) {
    throw UsageError("--prune-from: give --heads, how many of each layer to keep");
  }
  if (given(values, "attention") && run.model.attention != "mha") {
    throw UsageError("--attention: --prune-from makes a model of mha, got " + run.model.attention);
  }
  TrainedModel source = load_run(folder);
  if (source.model.budget != nullptr) {
    throw UsageError(join_parts("--prune-from: ", folder, " holds a model with budgets (",
                                source.model.config.attention, "), not mha"));
  }
  require_same_splits(folder, options_json(values));
  check_sizes(run, source, values);
  const Index heads = run.model.transformer.heads;
  const double dropout = run.model.transformer.dropout;
  run.model.attention = "mha";
  run.model.transformer = source.model.config.transformer;
  TransformerConfig& shape = run.model.transformer;
  if (heads > shape.heads) {
    throw UsageError(join_parts("--heads: the model in ", folder, " has ", shape.heads,
                                ", cannot keep ", heads));
  }
  shape.width = head_width(shape.dim, shape.heads, shape.width);
  shape.heads = heads;
  if (given(values, "dropout")) shape.dropout = dropout;
  run.tokenizer.max_length = source.max_length;
  return source;
}

Model pruned_model(TrainedModel& source, const TokenizedSplit& train, const RunOptions& run,
                   nlohmann::json& options, Progress& progress) {
  const HeadImportance importance = head_importance(source.model, train);
  const auto kept = most_important(importance, run.model.transformer.heads);
  for (Index i = 0; i < kept.size(); ++i) {
    std::string text = join_parts("layer ", i + 1, " keeps heads");
    for (const Index head : kept[i]) text += join_parts(' ', head + 1);
    text += "; share of the importance of each, %:";
    const double sum = std::accumulate(importance[i].begin(), importance[i].end(), 0.0);
    for (const double value : importance[i]) {
      text += ' ' + (sum > 0 ? fixed_digits(100 * value / sum, 1) : std::string("-"));
    }
    progress.line(text);
  }
  options["kept-heads"] = kept;
  options["head-importance"] = importance;
  return keep_heads(source.model, kept);
}

}  // namespace bf
