// What bf-predict reads from its input and prints, and a page about it.

#include "train/predict.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/html.h"
#include "experiments/prediction_text.h"
#include "experiments/table.h"
#include "nn/json_text.h"
#include "tests/fuzz/fuzz.h"
#include "train/clean_text.h"

namespace bf::fuzz {

void predict(std::string_view bytes) {
  const bool jsonl = choice(bytes, 2) == 1;
  InputText input;
  if (!refused_well("stdin:7: ", [&] { input = read_input(std::string(bytes), 7, jsonl); })) return;
  expect_clean(clean_text(input.text));
  expect_clean(clean_text(input.second));
  // The same as the name of a class.
  Prediction prediction;
  prediction.label = 0;
  prediction.probability = 1;
  prediction.probabilities = {1};
  const std::string line = prediction_line(prediction, {input.text});
  expect_printable(line.substr(0, line.find('\t')));
  expect_printable(json_line(prediction_json(prediction, {input.text})));
  const std::string cells = table({{input.text, "x"}, {input.second, "y"}});
  expect(std::count(cells.begin(), cells.end(), '\n') == 3, "a cell breaks its line");
  const std::string escaped = escape_html(input.text);
  expect_printable(escaped);
  expect(escaped.find_first_of("<>\"'") == std::string::npos, "markup in a page");
}

}  // namespace bf::fuzz
