#include "train/evaluate.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "autograd/tape.h"
#include "budgetformer/cost_model.h"
#include "tests/small_task.h"

using namespace bf;

TEST_CASE("evaluate: predictions are in the order of the split, whatever the batch size") {
  const TokenizedSplit split = small_split(70, 3);
  for (const char* attention : {"mha", "budget"}) {
    Model model = make_model(small_model(attention));
    const Evaluation whole = evaluate(model, split, 64), single = evaluate(model, split, 1);
    CHECK(whole.predictions == single.predictions);
    CHECK(whole.loss == doctest::Approx(single.loss).epsilon(1e-5));
    for (Index i = 0; i < split.size(); ++i) {
      const TokenizedSplit one{{split.tokens[i]}, {split.labels[i]}};
      CHECK(evaluate(model, one).predictions[0] == whole.predictions[i]);
    }
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
