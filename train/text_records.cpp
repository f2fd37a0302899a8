#include "train/text_records.h"

namespace bf {

TextRecords::TextRecords(Index texts, Index layers, Index heads, bool has_budgets)
    : losses(texts), layers_(layers), heads_(heads), has_budgets_(has_budgets) {
  if (!has_budgets_) return;
  budgets_.resize(texts * layers_);
  mask_.resize(texts * layers_ * heads_);
}

void TextRecords::note(const HeadSelection& selection, Index sequence, Index text, Index layer) {
  const Index place = text * layers_ + layer;
  budgets_[place] = selection.budgets[sequence];
  for (Index h = 0; h < heads_; ++h) mask_[place * heads_ + h] = selection.runs(sequence, h);
}

double TextRecords::budget(Index text, Index layer) const {
  return has_budgets_ ? static_cast<double>(budgets_[text * layers_ + layer]) : 1;
}

bool TextRecords::runs(Index text, Index layer, Index head) const {
  return !has_budgets_ || mask_[(text * layers_ + layer) * heads_ + head] != 0;
}

double TextRecords::budget_mean(Index text) const {
  double sum = 0;
  for (Index layer = 0; layer < layers_; ++layer) sum += budget(text, layer);
  return sum / static_cast<double>(layers_);
}

Index TextRecords::heads_run(Index text) const {
  Index sum = 0;
  for (Index layer = 0; layer < layers_; ++layer) {
    for (Index h = 0; h < heads_; ++h) sum += runs(text, layer, h) ? Index{1} : Index{0};
  }
  return sum;
}

}  // namespace bf
