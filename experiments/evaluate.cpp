// bf-evaluate: what a trained model does on a data set.

#include <iostream>
#include <nlohmann/json.hpp>

#include "experiments/evaluation_text.h"
#include "experiments/trained_model_options.h"
#include "nn/json_text.h"
#include "tensor/require.h"
#include "train/report_json.h"
#include "train/text_json.h"

namespace {

using namespace bf;

constexpr const char* about =
    "bf-evaluate: accuracy, F1, heads, FLOPs, memory and time of a trained model on a data set.\n"
    "The model's own tokenizer is used. Classes have to be those it was trained with.";

struct Options {
  DatasetOptions data;
  TrainedModelOptions trained;
  std::string split = "test";
  EnergyConfig energy;
  std::string texts;  ///< file of one object per text; empty = none
  Index batch = evaluation_batch;
  bool json = false;
};

const std::vector<Example>& chosen(const Dataset& data, const std::string& split) {
  if (split == "train") return data.train;
  return split == "validation" ? data.validation : data.test;
}

TokenizedSplit split_of(const TrainedModel& trained, const Options& options) {
  const Dataset data = load_data(options.data);
  require_data(data.class_names == trained.class_names, "--dataset: ", data.name,
               " has other classes than those of ", options.trained.model);
  return tokenize(*trained.tokenizer, chosen(data, options.split), trained.max_length);
}

int run(int argc, char** argv) {
  Options options;
  OptionList list("Options");
  add_trained_model_options(list, options.trained);
  add_data_options(list, options.data);
  add_choice(list, "split", options.split, "rows to use", {"train", "validation", "test"});
  add_count(list, "batch", options.batch, "texts of one forward pass", 1);
  add_text(
      list, "texts", options.texts,
      "write a JSON line for each text: label, prediction, loss, tokens, s and heads by layer");
  add_energy_options(list, options.energy);
  add_flag(list, "json", options.json, "one JSON object on stdout instead of the tables");
  OptionValues values;
  if (!parse_options(argc, argv, about, list, &values)) return 0;
  set_energy_config(options.energy);
  TrainedModel trained = load_trained_model(options.trained);
  require_same_splits(options.trained.model, options_json(values));
  const TokenizedSplit split = split_of(trained, options);
  const Evaluation evaluation = evaluate(trained.model, split, options.batch);
  if (options.json) {
    std::cout << json_line(to_json(evaluation)) << '\n';
  } else {
    std::cout << evaluation_text(evaluation, trained.class_names,
                                 trained.model.config.transformer.heads);
  }
  // Last: if they cannot be written, the result is there.
  if (!options.texts.empty()) write_texts(options.texts, evaluation, split);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return bf::run_main(argc, argv, run); }
