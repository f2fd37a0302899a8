#include "train/text_summary.h"

#include <algorithm>
#include <numeric>

#include "train/correlation.h"
#include "train/synthetic.h"

namespace bf {
namespace {

/// The texts of one evaluation, to make groups of.
struct Texts {
  const TextRecords& records;
  const std::vector<Id>& predictions;
  const TokenizedSplit& split;

  /// `groups` is how many there are of this kind.
  GroupSummary group(const std::string& name, const std::vector<Index>& members,
                     Index groups = 1) const;
};

constexpr Index most_usages = 100'000;

GroupSummary Texts::group(const std::string& name, const std::vector<Index>& members,
                          Index groups) const {
  GroupSummary group;
  group.name = name;
  group.examples = members.size();
  const Index layers =
      groups * records.layers() * records.heads() <= most_usages ? records.layers() : 0;
  group.head_usage.assign(layers, std::vector<double>(records.heads(), 0));
  if (members.empty()) return group;
  // Sums first, so that means of equal numbers are exact.
  for (const Index text : members) {
    group.accuracy += predictions[text] == split.labels[text] ? 1 : 0;
    group.loss += records.losses[text];
    group.tokens_mean += static_cast<double>(split.tokens[text].size());
    group.s_mean += records.budget_mean(text);
    group.heads_mean_total += static_cast<double>(records.heads_run(text));
    for (Index layer = 0; layer < layers; ++layer) {
      for (Index h = 0; h < records.heads(); ++h) {
        group.head_usage[layer][h] += records.runs(text, layer, h) ? 1 : 0;
      }
    }
  }
  const double count = static_cast<double>(members.size());
  for (double* sum :
       {&group.accuracy, &group.loss, &group.tokens_mean, &group.s_mean, &group.heads_mean_total}) {
    *sum /= count;
  }
  for (std::vector<double>& layer : group.head_usage) {
    for (double& uses : layer) uses /= count;
  }
  return group;
}

/// One group for each value 0 .. count - 1 of `key`; `name` turns it into words.
template <typename Key, typename Name>
std::vector<GroupSummary> groups(const Texts& texts, const std::vector<Key>& key, Index count,
                                 Name name) {
  std::vector<std::vector<Index>> members(count);
  for (Index i = 0; i < key.size(); ++i) members[static_cast<Index>(key[i])].push_back(i);
  std::vector<GroupSummary> result;
  for (Index i = 0; i < count; ++i) result.push_back(texts.group(name(i), members[i], count));
  return result;
}

void remove_empty(std::vector<GroupSummary>& groups) {
  std::erase_if(groups, [](const GroupSummary& group) { return group.examples == 0; });
}

Index bin(double s) {
  return std::min<Index>(s_bins - 1, static_cast<Index>(s * static_cast<double>(s_bins)));
}

void add_histograms(const TextRecords& records, TextSummary& summary) {
  summary.s_histogram.assign(s_bins, 0);
  summary.layer_s_histograms.assign(records.layers(), std::vector<Index>(s_bins, 0));
  for (Index text = 0; text < records.texts(); ++text) {
    ++summary.s_histogram[bin(records.budget_mean(text))];
    for (Index layer = 0; layer < records.layers(); ++layer) {
      ++summary.layer_s_histograms[layer][bin(records.budget(text, layer))];
    }
  }
}

void add_tenths(const Texts& texts, const std::vector<double>& heads, const std::vector<double>& s,
                TextSummary& summary) {
  std::vector<Index> order(heads.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return heads[a] != heads[b] ? heads[a] < heads[b] : s[a] < s[b];
  });
  const Index tenth = std::max<Index>(1, order.size() / 10);
  const auto first = order.begin() + static_cast<std::ptrdiff_t>(tenth);
  const auto last = order.end() - static_cast<std::ptrdiff_t>(tenth);
  summary.cheapest = texts.group("cheapest tenth", {order.begin(), first});
  summary.dearest = texts.group("dearest tenth", {last, order.end()});
}

}  // namespace

TextSummary summarise_texts(const TextRecords& records, const std::vector<Id>& predictions,
                            const TokenizedSplit& split, Index classes) {
  const Texts texts{records, predictions, split};
  TextSummary summary;
  summary.by_class =
      groups(texts, split.labels, classes, [](Index i) { return std::to_string(i); });
  if (!split.difficulties.empty()) {
    summary.by_difficulty = groups(texts, split.difficulties, difficulty_count,
                                   [](Index i) { return to_string(static_cast<Difficulty>(i)); });
    summary.by_kind = groups(texts, split.kinds, synthetic_kind_count,
                             [](Index i) { return to_string(static_cast<SyntheticKind>(i)); });
    remove_empty(summary.by_difficulty);
    remove_empty(summary.by_kind);
  }
  if (!records.has_budgets()) return summary;
  std::vector<double> heads, s, lengths;
  for (Index text = 0; text < records.texts(); ++text) {
    heads.push_back(static_cast<double>(records.heads_run(text)));
    s.push_back(records.budget_mean(text));
    lengths.push_back(static_cast<double>(split.tokens[text].size()));
  }
  if (!split.difficulties.empty()) {
    const std::vector<double> hard(split.difficulties.begin(), split.difficulties.end());
    summary.difficulty_heads = spearman(hard, heads);
    summary.difficulty_s = spearman(hard, s);
  }
  summary.heads_loss = spearman(heads, records.losses);
  summary.heads_length = spearman(heads, lengths);
  summary.s_loss = spearman(s, records.losses);
  summary.s_length = spearman(s, lengths);
  add_tenths(texts, heads, s, summary);
  add_histograms(records, summary);
  return summary;
}

}  // namespace bf
