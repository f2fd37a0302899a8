#include "train/text_records.h"

#include <doctest/doctest.h>

#include "tests/small_task.h"
#include "train/evaluate.h"

using namespace bf;

TEST_CASE("text_records: the choices of each text agree with the layers' statistics") {
  const TokenizedSplit split = small_split(70, 3);
  Model model = make_model(small_model("budget"));
  const Evaluation result = evaluate(model, split, 16);
  const TextRecords& texts = result.texts;
  REQUIRE(texts.texts() == 70);
  CHECK(texts.has_budgets());
  double loss = 0, s = 0, heads = 0, first_head = 0;
  for (Index i = 0; i < 70; ++i) {
    loss += texts.losses[i] / 70;
    s += texts.budget_mean(i) / 70;
    heads += static_cast<double>(texts.heads_run(i)) / 70;
    first_head += texts.runs(i, 1, 0) ? 1.0 / 70 : 0;
  }
  CHECK(loss == doctest::Approx(result.loss));
  CHECK(s == doctest::Approx(result.budget_mean()));
  CHECK(heads == doctest::Approx(2 * result.heads_mean(4)));
  CHECK(first_head == doctest::Approx(result.layers[1].head_usage[0]));
}

TEST_CASE("text_records: a text has the same record alone and among others") {
  const TokenizedSplit split = small_split(40, 3);
  Model model = make_model(small_model("budget"));
  model.budget->override_budget(0.5);
  const TextRecords whole = evaluate(model, split).texts;
  for (Index i = 0; i < split.size(); ++i) {
    const TextRecords one = evaluate(model, {{split.tokens[i]}, {split.labels[i]}}).texts;
    CHECK(one.losses[0] == doctest::Approx(whole.losses[i]).epsilon(1e-5));
    CHECK(one.budget(0, 1) == 0.5);
    for (Index h = 0; h < 4; ++h) CHECK(one.runs(0, 1, h) == whole.runs(i, 1, h));
  }
}

TEST_CASE("text_records: without budgets every head runs") {
  Model model = make_model(small_model("mha"));
  const TextRecords texts = evaluate(model, small_split(5, 3)).texts;
  CHECK_FALSE(texts.has_budgets());
  CHECK(texts.budget_mean(4) == 1);
  CHECK(texts.heads_run(4) == 8);
  CHECK(texts.runs(0, 1, 3));
}
