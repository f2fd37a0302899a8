#include "train/predict.h"

#include <cmath>

#include "autograd/log_softmax.h"
#include "tensor/reduce.h"
#include "tensor/require.h"
#include "train/clean_text.h"
#include "train/metrics.h"
#include "train/nonfinite.h"

namespace bf {

Prediction predict(TrainedModel& trained, const std::string& text, const std::string& second) {
  const NoGrad no_grad;
  const std::string clean = clean_text(text);
  const std::vector<Id> ids =
      trained.tokenizer->encode(clean, clean_text(second), trained.max_length);
  Model& model = trained.model;
  const Variable logits = model.net->forward(Ids(ids), Segments({ids.size()}));  // [1, classes]
  const Index bad = first_non_finite(logits.value());
  if (bad < logits.value().size()) {
    throw NonFinite(join_parts("predict: logit ", bad, " of the text is ",
                               non_finite_kind(static_cast<double>(logits.value()[bad]))));
  }
  const Tensor logs = log_softmax(logits).value();
  Prediction result;
  result.tokens = ids.size();
  result.empty = clean.empty();
  for (Index c = 0; c < logs.size(); ++c) {
    result.probabilities.push_back(std::exp(static_cast<double>(logs[c])));
  }
  result.label = argmax(logs.data(), logs.size());
  result.probability = result.probabilities[static_cast<Index>(result.label)];
  for (Index i = 0; i < model.config.transformer.layers; ++i) {
    if (model.budget == nullptr) {
      result.heads.push_back(model.config.transformer.heads);
      continue;
    }
    const HeadSelection& selection = model.budget->attention(i).selection();
    result.heads.push_back(selection.counts[0]);
    result.budgets.push_back(static_cast<double>(selection.budgets[0]));
  }
  return result;
}

}  // namespace bf
