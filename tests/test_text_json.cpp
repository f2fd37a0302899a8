#include "train/text_json.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/small_task.h"
#include "tests/temp_folder.h"
#include "tests/values.h"
#include "train/report_json.h"

using namespace bf;
using nlohmann::json;

namespace {

TokenizedSplit hard_texts(Index count) {
  TokenizedSplit split = small_split(count, 3);
  split.difficulties.assign(count, 2);
  split.kinds.assign(count, 3);
  return split;
}

}  // namespace

TEST_CASE("text_json: a text of a model with budgets has s and the heads of each layer") {
  const TokenizedSplit split = hard_texts(10);
  Model model = make_model(small_model("budget"));
  model.budget->override_budget(0.5);
  const Evaluation result = evaluate(model, split);
  const json text = text_json(result, split, 3);
  CHECK(text["index"] == 3);
  CHECK(text["label"] == split.labels[3]);
  CHECK(text["prediction"] == result.predictions[3]);
  CHECK(text["loss"].get<double>() == doctest::Approx(result.texts.losses[3]).epsilon(1e-4));
  CHECK(text["tokens"] == split.tokens[3].size());
  CHECK(text["difficulty"] == "hard");
  CHECK(text["kind"] == "latest");
  CHECK(text["s"] == json{0.5, 0.5});
  REQUIRE(text["heads"].size() == 2);
  REQUIRE(text["heads"][1].size() == 2);
  CHECK(result.texts.runs(3, 1, text["heads"][1][1].get<Index>()));
}

TEST_CASE("text_json: without budgets and difficulties these keys are left out") {
  const TokenizedSplit split = small_split(10, 3);
  Model model = make_model(small_model("mha"));
  const json text = text_json(evaluate(model, split), split, 0);
  CHECK(text.size() == 5);
  CHECK_FALSE(text.contains("heads"));
}

TEST_CASE("text_json: a file has one line for each text, in order") {
  const TempFolder temporary;
  const TokenizedSplit split = hard_texts(20);
  Model model = make_model(small_model("budget"));
  const Evaluation result = evaluate(model, split, 3);
  write_texts(temporary.path("texts.jsonl"), result, split);
  std::ifstream file(temporary.path("texts.jsonl"));
  Index count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    CHECK(json::parse(line) == text_json(result, split, count));
  }
  CHECK(count == 20);
  CHECK_THROWS_WITH_AS(write_texts(temporary.path("none/texts.jsonl"), result, split),
                       ("save: \"" + temporary.path("none/texts.jsonl") +
                        "\": cannot create: No such file or "
                        "directory")
                           .c_str(),
                       std::runtime_error);
}

TEST_CASE("text_json: an evaluation holds its groups, and correlations where they are defined") {
  const TokenizedSplit split = hard_texts(30);
  Model model = make_model(small_model("budget")), dense = make_model(small_model("mha"));
  Evaluation result = evaluate(model, split);
  result.text_summary.difficulty_heads = 0.75;
  const json report = to_json(result);
  CHECK(report["by_class"].size() == 3);
  CHECK(report["by_difficulty"][0]["examples"] == 30);
  CHECK(report["by_kind"][0]["name"] == "latest");
  CHECK(report["by_kind"][0]["head_usage"][1].size() == 4);
  CHECK(report["spearman_difficulty_heads"] == 0.75);
  CHECK_FALSE(report.contains("spearman_difficulty_s"));  // all texts are hard
  CHECK(report["cheapest_tenth"]["examples"] == 3);
  CHECK(report["s_histogram"].size() == 10);
  CHECK(report["layers"][1]["s_histogram"].size() == 10);
  const json plain = to_json(evaluate(dense, split));
  CHECK(plain["by_kind"][0]["heads_mean_total"] == 8);
  CHECK_FALSE(plain.contains("s_histogram"));
  CHECK_FALSE(plain.contains("dearest_tenth"));
}

TEST_CASE("text_json: a summary comes back from JSON as it was") {
  const TokenizedSplit split = hard_texts(30);
  for (const char* attention : {"mha", "budget"}) {
    Model model = make_model(small_model(attention));
    Evaluation result = evaluate(model, split);
    result.text_summary.heads_loss = -0.5;
    const json report = to_json(result);
    result.text_summary = text_summary_from_json(json::parse(report.dump()));
    CHECK(to_json(result) == report);
  }
  CHECK(text_summary_from_json(json::object()).by_class.empty());
}

TEST_CASE("text_json: a value of a summary that is missing or of the wrong type is named") {
  const auto text = [](const char* summary) {
    return error_text<std::runtime_error>([&] { text_summary_from_json(json::parse(summary)); });
  };
  const auto wrong = [](const std::string& name) {
    return "report: groups of texts: \"" + name + "\": missing or of the wrong type";
  };
  CHECK(text(R"({"by_class": [{"name": "0", "examples": 1e300}]})") == wrong("examples"));
  CHECK(text(R"({"by_class": [{"name": "0", "examples": -1}]})") == wrong("examples"));
  CHECK(text(R"({"by_kind": [7]})") == wrong("name"));
  CHECK(text(R"({"cheapest_tenth": 1})") == wrong("name"));
}
