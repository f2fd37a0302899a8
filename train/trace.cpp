#include "train/trace.h"

#include "tensor/attention_probabilities.h"
#include "train/clean_text.h"

namespace bf {

TextTrace trace(TrainedModel& trained, const std::string& text, const std::string& second) {
  const NoGrad no_grad;
  TextTrace result;
  result.prediction = predict(trained, text, second);
  const std::vector<Id> ids =
      trained.tokenizer->encode(clean_text(text), clean_text(second), trained.max_length);
  for (const Id id : ids) result.tokens.push_back(trained.tokenizer->token(id));

  // The layers once more, one by one: predict() went the same way but keeps only its end.
  Model& model = trained.model;
  const Index heads = model.config.transformer.heads;
  const Segments segments({ids.size()});
  Variable hidden = model.net->embed(Ids(ids), segments);  // [n, D]
  for (Index i = 0; i < model.net->encoder().layers(); ++i) {
    EncoderLayer& layer = model.net->encoder().layer(i);
    const Tensor qkv =
        layer.attention().project(layer.attention_input(hidden)).value();  // [n, 3 H d]
    hidden = layer.forward(hidden, segments);
    std::vector<HeadTrace>& ran = result.layers.emplace_back();
    for (Index h = 0; h < heads; ++h) {
      if (model.budget && !model.budget->attention(i).selection().runs(0, h)) continue;
      ran.push_back({h, attention_probabilities(qkv, segments, heads, 0, h)});
    }
  }
  return result;
}

}  // namespace bf
