// bf-predict: one text per line on stdin, one answer per line on stdout.

#include <iostream>
#include <nlohmann/json.hpp>

#include "experiments/prediction_text.h"
#include "experiments/trained_model_options.h"
#include "nn/json_text.h"
#include "tensor/require.h"

namespace {

using namespace bf;

constexpr const char* about =
    "bf-predict: labels the texts on stdin, one per line, with a trained model.\n"
    "Answers come in the order of the lines, one line each: label, probability, mean s, heads run\n"
    "in each layer, separated by tabs. Every text is read on its own, so an answer never depends\n"
    "on the other lines. An empty line is read as one unknown token and answered like any text\n"
    "(\"empty\" in the JSON). With --jsonl a line in is {\"text\": ..., \"second\": ...}, the\n"
    "second sentence being optional, and a line out holds all probabilities.";

struct Options {
  TrainedModelOptions trained;
  bool jsonl = false;
};

int run(int argc, char** argv) {
  Options options;
  OptionList list("Options");
  add_trained_model_options(list, options.trained);
  add_flag(list, "jsonl", options.jsonl, "JSON lines in and out");
  if (!parse_options(argc, argv, about, list)) return 0;
  TrainedModel trained = load_trained_model(options.trained);
  Index number = 0;
  for (std::string line; next_line(stdin, line, ++number);) {
    const InputText input = read_input(line, number, options.jsonl);
    const Prediction prediction = predict(trained, input.text, input.second);
    // Flushed, so that a program at the other end of a pipe gets each answer at once.
    std::cout << (options.jsonl ? json_line(prediction_json(prediction, trained.class_names))
                                : prediction_line(prediction, trained.class_names))
              << std::endl;
    require_data(std::cout.good(), "cannot write to standard output");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return bf::run_main(argc, argv, run); }
