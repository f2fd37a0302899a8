#include "experiments/evaluation_text.h"

#include <doctest/doctest.h>

#include "tests/small_task.h"

using namespace bf;

TEST_CASE("evaluation_text: totals and classes for every model, layers where there are budgets") {
  const TokenizedSplit split = small_split(30, 3);
  Model dense = make_model(small_model("mha"));
  const std::string plain = evaluation_text(evaluate(dense, split), {"red", "green", "blue"}, 4);
  CHECK(plain.find("4.00 of 4") != std::string::npos);
  CHECK(plain.find("100.0 %") != std::string::npos);
  CHECK(plain.find("green") != std::string::npos);
  CHECK(plain.find("s deviation") == std::string::npos);
  CHECK(plain.find("joules per 1,000 texts") != std::string::npos);
  CHECK(plain.find("\nenergy: ") != std::string::npos);

  Model model = make_model(small_model("budget"));
  model.budget->override_budget(0.25);
  const std::string text = evaluation_text(evaluate(model, split), {"red", "green", "blue"}, 4);
  CHECK(text.find("1.00 of 4") != std::string::npos);
  CHECK(text.find("s deviation") != std::string::npos);
  CHECK(text.find("texts that run k heads, k =   1  2  3  4") != std::string::npos);
  CHECK(text.find("layer 2                      30  0  0  0") != std::string::npos);
}

TEST_CASE("evaluation_text: groups of texts, correlations and s where the data has them") {
  TokenizedSplit split = small_split(30, 3);
  for (Index i = 0; i < 30; ++i) {
    split.difficulties.push_back(i < 20 ? 0 : 2);
    split.kinds.push_back(i < 20 ? 0 : 4);
  }
  Model dense = make_model(small_model("mha")), model = make_model(small_model("budget"));
  const std::vector<std::string> names{"red", "green", "blue"};
  const std::string plain = evaluation_text(evaluate(dense, split), names, 4);
  CHECK(plain.find("kind next") != std::string::npos);
  CHECK(plain.find("Spearman") == std::string::npos);
  CHECK(plain.find("dearest tenth") == std::string::npos);
  model.budget->override_budget(0.25);
  const std::string text = evaluation_text(evaluate(model, split), names, 4);
  CHECK(text.find("difficulty easy     20") != std::string::npos);
  CHECK(text.find("difficulty hard     10") != std::string::npos);
  CHECK(text.find("dearest tenth        3") != std::string::npos);
  CHECK(text.find("length in tokens                                     -       -") !=
        std::string::npos);
  CHECK(text.find("mean of layers       0    0   30    0") != std::string::npos);
}

TEST_CASE(
    "evaluation_text: where the energy comes from is shown without commands to the terminal") {
  Model model = make_model(small_model("mha"));
  Evaluation evaluation = evaluate(model, small_split(30, 3));
  evaluation.energy.source = "a\x1b[31m\nb";
  const std::string text = evaluation_text(evaluation, {"red", "green", "blue"}, 4);
  CHECK(text.find("\nenergy: a [31m b\n\n") != std::string::npos);
}
