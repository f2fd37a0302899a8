#include "train/predict.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/small_task.h"
#include "train/nonfinite.h"

using namespace bf;

namespace {

TrainedModel small_trained(const std::string& attention) {
  std::vector<Example> texts(1);
  texts[0].text = "one two three four five six seven eight nine ten eleven twelve thirteen";
  TrainedModel trained;
  trained.model = make_model(small_model(attention));
  trained.model.net->train(false);
  trained.tokenizer = build_tokenizer("word", texts, 16, 1);
  trained.max_length = 6;
  trained.class_names = {"a", "b", "c"};
  return trained;
}

}  // namespace

TEST_CASE("predict: a text has the same answer whatever was asked before") {
  for (const char* attention : {"mha", "budget", "random"}) {
    CAPTURE(attention);
    TrainedModel trained = small_trained(attention);
    const Prediction alone = predict(trained, "one two three");
    predict(trained, "nine ten eleven twelve");
    const Prediction again = predict(trained, "one two three");
    CHECK(alone.probabilities == again.probabilities);
    CHECK(alone.budgets == again.budgets);
    CHECK(alone.heads == again.heads);
  }
}

TEST_CASE("predict: probabilities sum to one and the label is the largest") {
  TrainedModel trained = small_trained("budget");
  const Prediction result = predict(trained, "four five six");
  REQUIRE(result.probabilities.size() == 3);
  double sum = 0;
  for (const double p : result.probabilities) {
    sum += p;
    CHECK(p <= result.probability);
  }
  CHECK(sum == doctest::Approx(1));
  CHECK(result.heads.size() == 2);
  CHECK(result.budgets.size() == 2);
  CHECK(result.tokens == 3);
  CHECK_FALSE(result.empty);
}

TEST_CASE("predict: multi-head attention runs every head and has no budget") {
  TrainedModel trained = small_trained("mha");
  const Prediction result = predict(trained, "one");
  CHECK(result.heads == std::vector<Index>{4, 4});
  CHECK(result.budgets.empty());
}

TEST_CASE("predict: empty, blank and control characters are one unknown token") {
  TrainedModel trained = small_trained("budget");
  const Prediction unknown = predict(trained, "zzzz");
  CHECK_FALSE(unknown.empty);
  for (const char* text : {"", "   ", "\x01\x02\t"}) {
    const Prediction result = predict(trained, text);
    CHECK(result.empty);
    CHECK(result.tokens == 1);
    CHECK(result.probabilities == unknown.probabilities);
  }
}

TEST_CASE("predict: a text of 10,000 tokens is cut to the length of training") {
  TrainedModel trained = small_trained("budget");
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "one ";
  CHECK(predict(trained, text).tokens == 6);
  CHECK(predict(trained, text).probabilities ==
        predict(trained, "one one one one one one").probabilities);
}

TEST_CASE("predict: the second sentence counts") {
  TrainedModel trained = small_trained("mha");
  CHECK(predict(trained, "one", "two").tokens == 3);
  CHECK(predict(trained, "one", "two").probabilities !=
        predict(trained, "two", "one").probabilities);
}

TEST_CASE("predict: an answer that is no number is an error") {
  TrainedModel trained = small_trained("mha");
  for (const NamedParameter& p : trained.model.net->named_parameters()) {
    if (p.name == "head.bias") p.variable->mutable_value()[1] = -INFINITY;
  }
  CHECK_THROWS_WITH_AS(predict(trained, "one two"), "predict: logit 1 of the text is -inf",
                       NonFinite);
}
