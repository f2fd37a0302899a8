#include "budgetformer/statistics.h"

#include <algorithm>
#include <cmath>

namespace bf {
namespace {

constexpr double saturated_logit = 6, dead_share = 1e-3;

double ratio(double sum, Index count) { return count ? sum / static_cast<double>(count) : 0; }

}  // namespace

void LayerStatistics::add(const HeadSelection& selection, const Tensor& entropies,
                          const Tensor& logits, const Tensor& hidden) {
  for (Index b = 0; b < selection.sequences(); ++b) {
    const double s = static_cast<double>(selection.budgets[b]);
    budget_sum_ += s;
    budget_squares_ += s * s;
    heads_sum_ += static_cast<double>(selection.counts[b]);
    ++histogram_[selection.counts[b]];
    for (Index h = 0; h < selection.heads; ++h) usage_[h] += selection.runs(b, h);
    if (entropies.defined()) entropy_sum_ += static_cast<double>(entropies[b]);
    if (logits.defined() && !(std::abs(static_cast<double>(logits[b])) <= saturated_logit)) {
      ++saturated_;
    }
  }
  for (Index b = 0; hidden.defined() && b < hidden.dim(0); ++b) {
    const Real* row = hidden.row(b);
    hidden_off_ += std::none_of(row, row + hidden.dim(1),
                                [](Real unit) { return std::abs(unit) < Real(0.999); });
    ++hidden_;
  }
  sequences_ += selection.sequences();
  entropies_ += entropies.size();
  logits_ += logits.size();
}

double LayerStatistics::budget_mean() const { return ratio(budget_sum_, sequences_); }

double LayerStatistics::budget_deviation() const {
  const double mean = budget_mean();
  return std::sqrt(std::max(0.0, ratio(budget_squares_, sequences_) - mean * mean));
}

double LayerStatistics::heads_mean() const { return ratio(heads_sum_, sequences_); }
double LayerStatistics::entropy_mean() const { return ratio(entropy_sum_, entropies_); }

std::vector<double> LayerStatistics::head_usage() const {
  std::vector<double> shares;
  for (const Index count : usage_) shares.push_back(ratio(static_cast<double>(count), sequences_));
  return shares;
}

Index LayerStatistics::dead_heads() const {
  const std::vector<double> shares = head_usage();
  return static_cast<Index>(
      std::count_if(shares.begin(), shares.end(), [](double share) { return share < dead_share; }));
}

double LayerStatistics::saturated() const {
  return ratio(static_cast<double>(saturated_), logits_);
}

double LayerStatistics::hidden_off() const {
  return ratio(static_cast<double>(hidden_off_), hidden_);
}

}  // namespace bf
