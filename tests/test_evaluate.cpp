#include "train/evaluate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <stdexcept>

#include "autograd/tape.h"
#include "budgetformer/cost_model.h"
#include "tensor/allocator.h"
#include "tests/small_task.h"
#include "train/nonfinite.h"
#include "train/tokenized_data.h"

using namespace bf;

namespace {

/// Pages of this process that are in memory.
Index resident_pages() {
  std::ifstream file("/proc/self/statm");
  Index size = 0, resident = 0;
  file >> size >> resident;
  return resident;
}

}  // namespace

TEST_CASE("evaluate: predictions are in the order of the split, whatever the batch size") {
  const TokenizedSplit split = small_split(70, 3);
  for (const char* attention : {"mha", "budget", "fixed", "random"}) {
    CAPTURE(attention);
    Model model = make_model(small_model(attention));
    const Evaluation whole = evaluate(model, split, 64);
    for (const Index batch : {Index{1}, Index{2}, Index{17}, Index{70}}) {
      const Evaluation other = evaluate(model, split, batch);
      CHECK(other.predictions == whole.predictions);
      CHECK(other.texts.losses == whole.texts.losses);  // to the bit
      CHECK(other.loss == doctest::Approx(whole.loss).epsilon(1e-12));
      for (Index i = 0; i < split.size(); ++i) {
        for (Index layer = 0; layer < 2; ++layer) {
          CHECK(other.texts.budget(i, layer) == whole.texts.budget(i, layer));
          for (Index h = 0; h < 4; ++h) {
            CHECK(other.texts.runs(i, layer, h) == whole.texts.runs(i, layer, h));
          }
        }
      }
    }
    if (model.config.attention == "random") continue;  // its heads follow from a text's place
    for (Index i = 0; i < split.size(); ++i) {
      const TokenizedSplit one{{split.tokens[i]}, {split.labels[i]}};
      CHECK(evaluate(model, one).predictions[0] == whole.predictions[i]);
    }
  }
}

TEST_CASE("evaluate: texts without words and endless ones have an answer each, in their place") {
  std::vector<Example> texts(5);
  texts[0].text = "one two three";
  texts[1].text = "";
  texts[2].text = "   ";
  texts[3].text = "\x01\x02\x1f";
  for (int i = 0; i < 10000; ++i) texts[4].text += "one ";
  const auto tokenizer = build_tokenizer("word", texts, 16, 1);
  const TokenizedSplit split = tokenize(*tokenizer, texts, 16);
  for (const char* attention : {"mha", "budget"}) {
    Model model = make_model(small_model(attention));
    for (const Index batch : {Index{1}, Index{2}, Index{64}}) {
      const Evaluation result = evaluate(model, split, batch);
      REQUIRE(result.predictions.size() == 5);
      CHECK(result.tokens == 3 + 3 * 1 + 16);
      for (const double loss : result.texts.losses) CHECK(std::isfinite(loss));
      // The three are one and the same text to the model.
      CHECK(result.texts.losses[1] == result.texts.losses[2]);
      CHECK(result.texts.losses[1] == result.texts.losses[3]);
      CHECK(result.texts.losses[1] != result.texts.losses[0]);
    }
  }
}

TEST_CASE("evaluate: 1,000 batches leave no tape and no memory behind") {
  const TokenizedSplit split = small_split(1000, 3);
  for (const char* attention : {"mha", "budget"}) {
    Model model = make_model(small_model(attention));
    // The first ones fill the allocator's stock, and a sanitizer's quarantine.
    for (int warm_up = 0; warm_up < 3; ++warm_up) evaluate(model, split, 1);
    CHECK(tape_length() == 0);
    const double resident = static_cast<double>(resident_pages());
    const MemoryStats before = memory_stats();
    evaluate(model, split, 1);
    CHECK(tape_length() == 0);
    CHECK(memory_stats().live_bytes == before.live_bytes);
    CHECK(memory_stats().system_allocations == before.system_allocations);
    CHECK(static_cast<double>(resident_pages()) < 1.01 * resident);
  }
}

TEST_CASE("evaluate: peak memory does not depend on an evaluation before") {
  const TokenizedSplit split = small_split(40, 3);
  Model model = make_model(small_model("mha"));
  const Index first = evaluate(model, split).peak_tensor_bytes;
  CHECK(evaluate(model, split).peak_tensor_bytes == first);
}

TEST_CASE("evaluate: executed and paper FLOPs of a dense model are the closed form") {
  const TokenizedSplit split = small_split(33, 3);
  Model model = make_model(small_model("mha"));
  const Evaluation result = evaluate(model, split, 10);
  CHECK(static_cast<double>(result.executed.total()) == result.dense_flops);
  CHECK(result.paper_flops == result.dense_flops);
  CHECK(result.budget_mean() == 1);
  CHECK(result.heads_mean(4) == 4);
  CHECK(result.layers.empty());
}

TEST_CASE("evaluate: the paper's accounting scales the attention core alone by s") {
  const TokenizedSplit split = small_split(33, 3);
  Model model = make_model(small_model("budget"));
  model.budget->override_budget(0.25);
  const Evaluation result = evaluate(model, split, 10);
  double core = 0;
  for (const auto& tokens : split.tokens) {
    core += 2 * static_cast<double>(attention_core_flops(tokens.size(), 4, 4));
  }
  CHECK(result.budget_mean() == doctest::Approx(0.25));
  CHECK(result.paper_flops == doctest::Approx(result.dense_flops - 0.75 * core));
  CHECK(result.heads_mean(4) == 1);
  CHECK(static_cast<double>(result.executed.attention) == doctest::Approx(core / 4));
  CHECK(static_cast<double>(result.executed.total()) < result.paper_flops);
}

TEST_CASE("evaluate: nothing is recorded, the mode comes back, two passes agree in every bit") {
  const TokenizedSplit split = small_split(20, 3);
  Model model = make_model(small_model("budget"));
  const Evaluation first = evaluate(model, split);
  CHECK(tape_length() == 0);
  CHECK(recording());
  CHECK(model.net->training());
  CHECK(evaluate(model, split).loss == first.loss);
  model.net->train(false);
  evaluate(model, split);
  CHECK_FALSE(model.net->training());
}

TEST_CASE("evaluate: layer reports count every example") {
  const TokenizedSplit split = small_split(50, 3);
  Model model = make_model(small_model("budget"));
  evaluate(model, split);
  const Evaluation result = evaluate(model, split);
  REQUIRE(result.layers.size() == 2);
  for (const LayerReport& layer : result.layers) {
    Index sum = 0;
    for (const Index count : layer.heads_histogram) sum += count;
    CHECK(sum == 50);
    CHECK(layer.head_usage.size() == 4);
  }
  CHECK(result.peak_tensor_bytes > 0);
  CHECK(result.peak_process_bytes > result.peak_tensor_bytes);
}

TEST_CASE("evaluate: soft gates run every head and are switched off again") {
  const TokenizedSplit split = small_split(20, 3);
  Model model = make_model(small_model("budget"));
  model.budget->override_budget(0.25);
  const Evaluation hard = evaluate(model, split), soft = evaluate(model, split, 8, true);
  CHECK(soft.executed.total() > hard.executed.total());
  CHECK(evaluate(model, split).executed.total() == hard.executed.total());
}

TEST_CASE("evaluate: an empty split is an error") {
  Model model = make_model(small_model("mha"));
  CHECK_THROWS_WITH_AS(evaluate(model, TokenizedSplit{}), "evaluate: the split is empty",
                       std::invalid_argument);
}

TEST_CASE("evaluate: an answer that is no number is an error that names the text") {
  Model model = make_model(small_model("budget"));
  poison_rare_token(model);
  CHECK_THROWS_WITH_AS(evaluate(model, split_with_rare_token()),
                       "evaluate: logit 0 of text 40 is nan", NonFinite);
  CHECK(model.net->training());
}
