#include "train/trace.h"

#include <doctest/doctest.h>

#include "tests/small_task.h"

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

TEST_CASE("trace: the answer of predict(), its tokens, and the heads it ran") {
  for (const char* attention : {"mha", "budget", "fixed", "random"}) {
    CAPTURE(attention);
    TrainedModel trained = small_trained(attention);
    const Prediction alone = predict(trained, "one two nowhere");
    const TextTrace seen = trace(trained, "one two nowhere");
    CHECK(seen.prediction.probabilities == alone.probabilities);
    CHECK(seen.tokens == std::vector<std::string>{"one", "two", "[UNK]"});
    REQUIRE(seen.layers.size() == alone.heads.size());
    for (Index i = 0; i < seen.layers.size(); ++i) CHECK(seen.layers[i].size() == alone.heads[i]);
  }
}

TEST_CASE("trace: each head that ran has a row of probabilities for each token") {
  TrainedModel trained = small_trained("budget");
  const TextTrace seen = trace(trained, "one two three four");
  for (const std::vector<HeadTrace>& layer : seen.layers) {
    for (const HeadTrace& head : layer) {
      REQUIRE(head.probabilities.shape() == Shape{4, 4});
      for (Index i = 0; i < 4; ++i) {
        const Real* row = head.probabilities.row(i);
        CHECK(row[0] + row[1] + row[2] + row[3] == doctest::Approx(1));
      }
    }
  }
}

TEST_CASE("trace: a long text is cut where the model cuts it") {
  TrainedModel trained = small_trained("mha");
  const TextTrace seen = trace(trained, "one two three four five six seven eight");
  CHECK(seen.tokens.size() == 6);
  CHECK(seen.layers[0][3].head == 3);
}
