// bf-data: what a data set holds and how it tokenizes; generates synthetic texts.

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/options.h"
#include "experiments/table.h"
#include "nn/atomic_file.h"
#include "nn/json_text.h"
#include "tensor/printable.h"
#include "train/clean_text.h"
#include "train/data_summary.h"
#include "train/model_builder.h"
#include "train/synthetic.h"
#include "train/tokenizer.h"

namespace {

using namespace bf;
using nlohmann::json;

struct DataCommand {
  DatasetOptions data;
  std::string tokenizer = "word";
  Index vocabulary = 20000;
  Index min_count = 2;
  Index max_length = 256;
  Index show = 3;
  std::string tokenize;
  Index generate = 0;
  std::string out;
  bool json = false;
};

OptionList option_list(DataCommand& command) {
  OptionList options("Options");
  add_data_options(options, command.data);
  add_choice(options, "tokenizer", command.tokenizer, "kind of tokenizer", tokenizer_names());
  add_count(options, "vocab-size", command.vocabulary, "largest size of the vocabulary", 4,
            2147483647);
  add_count(options, "min-count", command.min_count, "a rarer word is [UNK]", 1);
  add_count(options, "max-len", command.max_length, "tokens of a text; the rest is cut off", 3,
            longest_text);
  add_count(options, "show", command.show, "training examples to print");
  add_text(options, "tokenize", command.tokenize, "print the tokens of this text as well");
  add_count(options, "generate", command.generate,
            "write so many synthetic texts of --difficulty as JSON lines, and nothing else");
  add_text(options, "out", command.out, "with --generate: the file; empty = standard output");
  add_flag(options, "json", command.json, "print one JSON object");
  return options;
}

/// One JSON object a line: text, label, difficulty and kind as words.
void generate(const DataCommand& command) {
  std::string lines;
  for (Index i = 0; i < command.generate; ++i) {
    const Example example = synthetic_example(command.data.seed, i, command.data.difficulty);
    const json row = {{"text", example.text},
                      {"label", example.label == 1 ? "yes" : "no"},
                      {"difficulty", to_string(static_cast<Difficulty>(example.difficulty))},
                      {"kind", to_string(static_cast<SyntheticKind>(example.kind))}};
    lines += row.dump() + "\n";
  }
  if (command.out.empty()) {
    std::cout << lines;
    return;
  }
  write_whole_file(command.out, lines);
}

using Splits = std::vector<std::pair<std::string, SplitSummary>>;

json summary_json(const Dataset& data, const Splits& splits, const Tokenizer& tokenizer) {
  json object = {{"dataset", data.name},
                 {"classes", data.class_names},
                 {"partial", data.partial},
                 {"notes", data.notes},
                 {"vocabulary", tokenizer.vocabulary_size()}};
  for (const auto& [name, split] : splits) {
    object["splits"][name] = {{"rows", split.rows},
                              {"rows_per_class", split.rows_per_class},
                              {"tokens", split.tokens},
                              {"mean_tokens", split.mean_tokens},
                              {"median_tokens", split.median_tokens},
                              {"p95_tokens", split.p95_tokens},
                              {"longest", split.longest},
                              {"cut_rows", split.cut_rows},
                              {"unknown_share", split.unknown_share},
                              {"empty_rows", split.empty_rows}};
  }
  return object;
}

void print_tables(const Dataset& data, const Splits& splits, const DataCommand& command,
                  const Tokenizer& tokenizer) {
  std::vector<std::vector<std::string>> classes{{data.name}};
  for (const auto& [name, split] : splits) classes[0].push_back(name);
  for (Index c = 0; c < data.class_names.size(); ++c) {
    classes.push_back({data.class_names[c]});
    for (const auto& [name, split] : splits) {
      classes.back().push_back(std::to_string(split.rows_per_class[c]));
    }
  }
  classes.push_back({"all rows"});
  for (const auto& [name, split] : splits) classes.back().push_back(std::to_string(split.rows));
  std::cout << table(classes) << "\n";

  const std::string limit = std::to_string(command.max_length);
  std::vector<std::vector<std::string>> lengths{
      {"tokens per text", "mean", "median", "95 %", "longest", "over " + limit, "[UNK] %"}};
  for (const auto& [name, split] : splits) {
    lengths.push_back({name, fixed_digits(split.mean_tokens, 1),
                       std::to_string(split.median_tokens), std::to_string(split.p95_tokens),
                       std::to_string(split.longest), std::to_string(split.cut_rows),
                       fixed_digits(100 * split.unknown_share, 2)});
  }
  std::cout << table(lengths) << "\nvocabulary: " << tokenizer.vocabulary_size()
            << " tokens, from the training texts\n";
  for (const std::string& note : data.notes) std::cout << "note: " << printable(note) << "\n";
}

void print_tokens(const Tokenizer& tokenizer, const std::string& text, const std::string& second,
                  Index max_length) {
  for (const std::string& token : shown_tokens(tokenizer, text, second, max_length)) {
    std::cout << ' ' << printable(token);
  }
  std::cout << "\n";
}

void print_examples(const Dataset& data, const DataCommand& command, const Tokenizer& tokenizer) {
  for (Index i = 0; i < command.show && i < data.train.size(); ++i) {
    const Example& example = data.train[i];
    std::cout << "\n[" << printable(data.class_names[static_cast<Index>(example.label)]) << "] "
              << printable(example.text) << "\n";
    if (!example.second.empty()) std::cout << "  + " << printable(example.second) << "\n";
    std::cout << "  =";
    print_tokens(tokenizer, example.text, example.second, command.max_length);
  }
}

int run(int argc, char** argv) {
  DataCommand command;
  const char* about =
      "bf-data: classes, rows, lengths and tokens of a data set; --generate makes one.";
  if (!parse_options(argc, argv, about, option_list(command))) return 0;
  if (!command.out.empty() && command.generate == 0) {
    throw UsageError("--out: only --generate writes a file");
  }
  if (command.generate > 0) {
    generate(command);
    return 0;
  }
  const Dataset data = load_data(command.data);
  const auto tokenizer =
      build_tokenizer(command.tokenizer, data.train, command.vocabulary, command.min_count);
  const auto split = [&](const std::vector<Example>& rows) {
    return summarise(rows, data.class_names.size(), *tokenizer, command.max_length);
  };
  const Splits splits{{"train", split(data.train)},
                      {"validation", split(data.validation)},
                      {"test", split(data.test)}};
  const std::string text = clean_text(command.tokenize);
  if (command.json) {
    json object = summary_json(data, splits, *tokenizer);
    if (!command.tokenize.empty()) {
      object["tokenized"] = shown_tokens(*tokenizer, text, "", command.max_length);
    }
    std::cout << json_line(object) << "\n";
    return 0;
  }
  print_tables(data, splits, command, *tokenizer);
  print_examples(data, command, *tokenizer);
  if (!command.tokenize.empty()) {
    std::cout << "\n" << printable(command.tokenize) << "\n  =";
    print_tokens(*tokenizer, text, "", command.max_length);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return bf::run_main(argc, argv, run); }
