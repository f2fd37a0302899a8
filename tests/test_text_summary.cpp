#include "train/text_summary.h"

#include <doctest/doctest.h>

#include "tests/small_task.h"
#include "train/evaluate.h"
#include "train/synthetic.h"

using namespace bf;

namespace {

/// Difficulties in turn: every third text is easy, medium, hard (of kind next).
TokenizedSplit with_difficulties(TokenizedSplit split) {
  for (Index i = 0; i < split.size(); ++i) {
    split.difficulties.push_back(static_cast<int>(i % 3));
    split.kinds.push_back(i % 3 == 2 ? 4 : static_cast<int>(i % 3));
  }
  return split;
}

}  // namespace

TEST_CASE("text_summary: groups hold the means of their texts") {
  const TokenizedSplit split = with_difficulties(small_split(60, 3));
  Model model = make_model(small_model("budget"));
  const Evaluation result = evaluate(model, split);
  const TextSummary& summary = result.text_summary;
  REQUIRE(summary.by_difficulty.size() == 3);
  const GroupSummary& hard = summary.by_difficulty[2];
  CHECK(hard.name == "hard");
  CHECK(hard.examples == 20);
  double right = 0, loss = 0, tokens = 0, s = 0, heads = 0, uses = 0;
  for (Index i = 2; i < 60; i += 3) {
    right += result.predictions[i] == split.labels[i] ? 1 : 0;
    loss += result.texts.losses[i];
    tokens += static_cast<double>(split.tokens[i].size());
    s += result.texts.budget_mean(i);
    heads += static_cast<double>(result.texts.heads_run(i));
    uses += result.texts.runs(i, 1, 2) ? 1 : 0;
  }
  CHECK(hard.accuracy == doctest::Approx(right / 20));
  CHECK(hard.loss == doctest::Approx(loss / 20));
  CHECK(hard.tokens_mean == doctest::Approx(tokens / 20));
  CHECK(hard.s_mean == doctest::Approx(s / 20));
  CHECK(hard.heads_mean_total == doctest::Approx(heads / 20));
  CHECK(hard.head_usage[1][2] == doctest::Approx(uses / 20));
}

TEST_CASE("text_summary: groups of very many heads are told without the use of each") {
  const TokenizedSplit split = small_split(1, 3);
  const TextRecords records(1, 20, 50, false);
  for (const Index classes : {Index{100}, Index{101}}) {
    const TextSummary summary = summarise_texts(records, {0}, split, classes);
    REQUIRE(summary.by_class.size() == classes);
    const Index layers = classes == 100 ? 20 : 0;
    CHECK(summary.by_class[0].head_usage.size() == layers);
    CHECK(summary.by_class[static_cast<Index>(split.labels[0])].heads_mean_total == 1000);
  }
}

TEST_CASE("text_summary: kinds that do not occur are left out, classes stay in their order") {
  const TokenizedSplit split = with_difficulties(small_split(30, 3));
  Model model = make_model(small_model("mha"));
  const TextSummary summary = evaluate(model, split).text_summary;
  REQUIRE(summary.by_kind.size() == 3);
  CHECK(summary.by_kind[0].name == "keyword");
  CHECK(summary.by_kind[2].name == "next");
  CHECK(summary.by_kind[2].heads_mean_total == 8);
  REQUIRE(summary.by_class.size() == 3);
  CHECK(summary.by_class[1].name == "1");
  CHECK_FALSE(summary.cheapest.has_value());
  CHECK_FALSE(summary.difficulty_heads.has_value());
  CHECK(summary.s_histogram.empty());
}

TEST_CASE("text_summary: correlations, tenths and histograms follow what ran") {
  // Text i of 20 has i + 1 tokens, s = (i + 1) / 20 in both layers and a loss of -i; of 4 heads
  // 1 run for the first five texts, 2 for the next five, and so on.
  TokenizedSplit split;
  TextRecords records(20, 2, 4, true);
  for (Index i = 0; i < 20; ++i) {
    split.tokens.push_back(std::vector<Id>(i + 1, 1));
    split.labels.push_back(0);
    split.difficulties.push_back(static_cast<int>(i / 7));
    split.kinds.push_back(0);
    records.losses[i] = -static_cast<double>(i);
    const HeadSelection selection =
        select_heads(Tensor::zeros({1, 4}), Tensor::full({1}, static_cast<Real>(i + 1) / 20));
    records.note(selection, 0, i, 0);
    records.note(selection, 0, i, 1);
  }
  const TextSummary summary = summarise_texts(records, std::vector<Id>(20, 0), split, 2);
  CHECK(summary.s_loss.value() == doctest::Approx(-1));
  CHECK(summary.s_length.value() == doctest::Approx(1));
  CHECK(summary.heads_length.value() ==
        doctest::Approx(0.9694584));  // ties in fives: sqrt(625 / 665)
  CHECK(summary.heads_loss.value() == doctest::Approx(-0.9694584));
  CHECK(summary.difficulty_heads.value() > 0.8);
  CHECK(summary.cheapest->tokens_mean == 1.5);  // the first two texts
  CHECK(summary.cheapest->heads_mean_total == 2);
  CHECK(summary.dearest->tokens_mean == 19.5);
  CHECK(summary.dearest->heads_mean_total == 8);
  CHECK(summary.dearest->loss == doctest::Approx(-18.5));
  CHECK(summary.by_class[1].examples == 0);
}

TEST_CASE("text_summary: s falls into ten bins, 1 into the last") {
  const TokenizedSplit split = small_split(12, 3);
  Model model = make_model(small_model("budget"));
  for (const auto& [s, bin] : std::vector<std::pair<double, Index>>{{0.25, 2}, {0.05, 0}, {1, 9}}) {
    model.budget->override_budget(s);
    const TextSummary summary = evaluate(model, split).text_summary;
    REQUIRE(summary.s_histogram.size() == s_bins);
    CHECK(summary.s_histogram[bin] == 12);
    REQUIRE(summary.layer_s_histograms.size() == 2);
    CHECK(summary.layer_s_histograms[1][bin] == 12);
  }
}
