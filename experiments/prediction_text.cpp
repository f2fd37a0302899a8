#include "experiments/prediction_text.h"

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "experiments/table.h"
#include "nn/json_text.h"
#include "tensor/printable.h"
#include "tensor/require.h"
#include "train/encoding.h"
#include "train/input_file.h"

namespace bf {
namespace {

using nlohmann::json;

double mean_budget(const Prediction& prediction) {
  if (prediction.budgets.empty()) return 1;
  double sum = 0;
  for (const double budget : prediction.budgets) sum += budget;
  return sum / static_cast<double>(prediction.budgets.size());
}

std::string text_field(const json& object, const char* name, Index number) {
  if (!object.contains(name)) return "";
  require_data(object[name].is_string(), "stdin:", number, ": \"", name, "\" is not a text");
  return object[name].get<std::string>();
}

}  // namespace

bool next_line(std::FILE* in, std::string& line, Index number) {
  line.clear();
  for (int c = std::getc(in); c != EOF; c = std::getc(in)) {
    if (c == '\n') return true;
    line.push_back(static_cast<char>(c));
    require_data(line.size() <= longest_record_bytes, "stdin:", number, ": line longer than ",
                 longest_record_bytes, " bytes");
  }
  require_data(std::ferror(in) == 0, "stdin:", number, ": cannot read: ", std::strerror(errno));
  return !line.empty();
}

InputText read_input(const std::string& line, Index number, bool jsonl) {
  const Index wrong = invalid_utf8_at(line);
  require_data(wrong == std::string_view::npos, "stdin:", number, ": invalid UTF-8 at byte ",
               wrong + 1);
  if (!jsonl) return {line, ""};
  const json object = parse_json(line);
  require_data(object.is_object() && object.contains("text"), "stdin:", number,
               ": expected a JSON object with \"text\"");
  return {text_field(object, "text", number), text_field(object, "second", number)};
}

std::string prediction_line(const Prediction& prediction,
                            const std::vector<std::string>& class_names) {
  std::string heads;
  for (const Index count : prediction.heads) {
    heads += (heads.empty() ? "" : " ") + std::to_string(count);
  }
  return printable(class_names[static_cast<Index>(prediction.label)]) + '\t' +
         fixed_digits(prediction.probability, 4) + '\t' + fixed_digits(mean_budget(prediction), 4) +
         '\t' + heads;
}

json prediction_json(const Prediction& prediction, const std::vector<std::string>& class_names) {
  json probabilities;
  for (Index c = 0; c < class_names.size(); ++c) {
    probabilities[class_names[c]] = prediction.probabilities[c];
  }
  return {{"label", class_names[static_cast<Index>(prediction.label)]},
          {"probability", prediction.probability},
          {"probabilities", probabilities},
          {"s_mean", mean_budget(prediction)},
          {"s", prediction.budgets},
          {"heads", prediction.heads},
          {"tokens", prediction.tokens},
          {"empty", prediction.empty}};
}

}  // namespace bf
