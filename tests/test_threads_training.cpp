#include <doctest/doctest.h>

#include <array>

#include "tests/same_bits.h"
#include "tests/small_task.h"
#include "tests/units.h"
#include "train/pruning.h"
#include "train/trace.h"

using namespace bf;

namespace {

/// Texts of 1, 3, 17 and 129 words among 37, of three classes.
TokenizedSplit odd_split(Index examples) {
  const RandomStream random{7, 1};
  TokenizedSplit split;
  for (Index i = 0; i < examples; ++i) {
    std::vector<Id> tokens;
    for (Index t = 0; t < std::vector<Index>{1, 3, 17, 129}[i % 4]; ++t) {
      tokens.push_back(static_cast<Id>(3 + random.word(200 * i + t) % 37));
    }
    split.labels.push_back(static_cast<Id>(tokens.back() % 3));
    split.tokens.push_back(std::move(tokens));
  }
  return split;
}

/// A model wide enough for its rows to be worth several tasks.
ModelConfig odd_model(const std::string& attention) {
  ModelConfig config = small_model(attention);
  config.transformer.vocabulary = 40;
  config.transformer.dim = 51, config.transformer.heads = 3;
  config.transformer.max_length = 129;
  config.budget.sparse_after = 0.7;
  return config;
}

TrainingConfig training_of(Index steps) {
  TrainingConfig config = small_training(steps);
  config.max_steps = steps;
  config.batch = 17;
  return config;
}

void add_evaluation(Bits& bits, const Evaluation& evaluation) {
  bits.add("the predictions", evaluation.predictions);
  bits.add("the losses", evaluation.texts.losses);
  std::vector<double> budgets;
  std::vector<Index> heads;
  const TextRecords& texts = evaluation.texts;
  for (Index i = 0; i < texts.texts(); ++i) {
    for (Index layer = 0; layer < texts.layers(); ++layer) {
      budgets.push_back(texts.budget(i, layer));
      for (Index h = 0; h < texts.heads(); ++h) heads.push_back(texts.runs(i, layer, h));
    }
  }
  bits.add("the budgets", budgets);
  bits.add("the heads", heads);
}

/// The updates, and what the model says at the end.
Bits training_bits(const std::string& attention, const TrainingConfig& config) {
  const TokenizedSplit split = odd_split(68);
  Model model = make_model(odd_model(attention));
  Trainer trainer(model, split, config);
  Bits bits;
  while (!trainer.done()) {
    const StepReport step = trainer.step();
    bits.add("the loss of step " + std::to_string(step.step), step.loss);
    bits.add("the policy's loss", step.policy_loss);
    bits.add("the gradient's norm", step.gradient_norm);
    if (trainer.epoch_complete()) trainer.end_epoch();
  }
  bits.add("the weights", weights_of(model));
  for (const AdamW::Moments& moments : trainer.optimizer().moments()) {
    bits.add("a first moment", moments.first);
    bits.add("a second moment", moments.second);
  }
  add_evaluation(bits, evaluate(model, split));
  return bits;
}

TrainedModel trained(const std::string& attention) {
  std::vector<Example> texts(1);
  for (Index i = 0; i < 37; ++i) texts[0].text += " word" + std::to_string(i);
  TrainedModel result;
  result.model = make_model(odd_model(attention));
  result.model.net->train(false);
  result.tokenizer = build_tokenizer("word", texts, 40, 1);
  result.max_length = 129;
  result.class_names = {"a", "b", "c"};
  return result;
}

/// Answers for texts of [rows] words, empty and blank ones among them.
Bits prediction_bits(Index rows, Index) {
  TrainedModel model = trained("budget");
  std::string text;
  for (Index i = 0; i < rows; ++i) text += "word" + std::to_string(i * i % 41) + ' ';
  Bits bits;
  for (const std::string& one : {std::string(), std::string("   "), text}) {
    const TextTrace seen = trace(model, one);
    bits.add("the probabilities", seen.prediction.probabilities);
    bits.add("the budgets", seen.prediction.budgets);
    bits.add("the heads", seen.prediction.heads);
    for (const auto& layer : seen.layers) {
      for (const HeadTrace& head : layer) bits.add("an attention", head.probabilities);
    }
  }
  return bits;
}

/// In batches and text by text, with hard and with soft gates, and with the budgets and gates that
/// bf-evaluate can put in place of the learned ones.
Bits evaluation_bits(Index rows, Index) {
  const TokenizedSplit split = odd_split(std::min<Index>(rows, 100));
  Bits bits;
  for (const char* attention : {"mha", "budget", "fixed", "random"}) {
    Model model = make_model(odd_model(attention));
    for (const Index batch : {Index{1}, Index{64}})
      add_evaluation(bits, evaluate(model, split, batch));
    if (model.budget == nullptr) continue;
    add_evaluation(bits, evaluate(model, split, 64, true));
    model.budget->override_budget(0.34);
    add_evaluation(bits, evaluate(model, split));
    model.budget->use_random_gate(true);
    add_evaluation(bits, evaluate(model, split));
  }
  return bits;
}

Bits importance_bits(Index rows, Index) {
  Model model = make_model(odd_model("mha"));
  Bits bits;
  for (const auto& layer : head_importance(model, odd_split(std::min<Index>(rows, 50)))) {
    bits.add("the importance", layer);
  }
  return bits;
}

/// Three updates of a matrix.
Bits adamw_bits(Index rows, Index cols) {
  Variable weight(seeded_tensor({rows, cols}, 1), true);
  AdamW optimizer({{"weight", &weight, {}}});
  Bits bits;
  for (Index step = 1; step <= 3; ++step) {
    weight.zero_grad();
    weight.grad_buffer().add(seeded_tensor({rows, cols}, 1 + step));
    bits.add("the norm", optimizer.step(1e-2, 0.5));
  }
  bits.add("the weight", weight.value());
  bits.add("the first moment", optimizer.moments()[0].first);
  bits.add("the second moment", optimizer.moments()[0].second);
  return bits;
}

Bits tokenize_bits(Index rows, Index cols) {
  std::vector<Example> examples(rows);
  for (Index i = 0; i < rows; ++i) {
    for (Index t = 0; t < cols; ++t) examples[i].text += "w" + std::to_string(i * t % 50) + ' ';
  }
  const auto tokenizer = build_tokenizer("word", examples, 30, 1);
  Bits bits;
  for (const std::vector<Id>& ids : tokenize(*tokenizer, examples, 100).tokens) {
    bits.add("the ids", ids);
  }
  return bits;
}

const ThreadTable table{
    {"adamw", "", adamw_bits},         {"tokenized_data", "tokenize", tokenize_bits},
    {"predict", "", prediction_bits},  {"trace", "", prediction_bits},
    {"evaluate", "", evaluation_bits}, {"pruning", "", importance_bits}};

}  // namespace

TEST_CASE("threads_training: 50 updates end with the same bits on 1, 2, 3 and 8 threads") {
  for (const char* attention : {"mha", "budget"}) {
    CAPTURE(attention);
    CHECK(thread_fault([&] { return training_bits(attention, training_of(50)); }) == "");
  }
}

TEST_CASE("threads_training: so do updates in passes, and of heads that are fixed or drawn") {
  // Few, for a run of so many phases takes long where threads are watched.
  TrainingConfig config = training_of(10);
  for (const char* attention : {"fixed", "random"}) {
    CAPTURE(attention);
    CHECK(thread_fault([&] { return training_bits(attention, config); }) == "");
  }
  config.accumulate = 3, config.pass_tokens = 200;
  CHECK(thread_fault([&] { return training_bits("budget", config); }) == "");
}

TEST_CASE(
    "threads_training: a hundred runs, each on another number of threads, all come to an end") {
  const TokenizedSplit split = small_split(24, 5);
  std::vector<Real> first;
  for (Index repeat = 0; repeat < 100; ++repeat) {
    const ThreadsGuard guard(std::array<Index, 3>{1, 2, 8}[repeat % 3]);
    Model model = make_model(small_model("budget"));
    Trainer trainer(model, split, small_training(1));
    while (!trainer.done()) trainer.step();
    if (repeat == 0) first = weights_of(model);
    CHECK(weights_of(model) == first);
  }
}

TEST_CASE("threads_training: predictions, heads and moments have the same bits") {
  CHECK(table_fault(table, odd_layers) == "");
}

TEST_CASE("threads_training: no unit that splits its work is forgotten") {
  ThreadExemptions exempt;
  for (const std::string& unit : words_of(BF_TRAIN_UNITS)) {
    exempt[unit] = "splits nothing itself: missing_in() looks";
  }
  CHECK(missing_in(table, exempt, "train", BF_TRAIN_UNITS) == "");
}
