#include "train/alarms.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "tensor/require.h"

namespace bf {
namespace {

constexpr double least_spread = 1e-4, most_saturated = 0.5;
constexpr double nearly_all = 0.99, few_others = 0.1;

std::string digits(double value, int count) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(count) << value;
  return text.str();
}

/// "heads 3, 7" of those that no text runs, counted from 1; empty if there is none.
std::string idle_heads(const LayerReport& layer) {
  std::string list;
  for (Index h = 0; h < layer.head_usage.size(); ++h) {
    if (layer.head_usage[h] > 0) continue;
    list += (list.empty() ? "" : ", ") + std::to_string(h + 1);
  }
  if (list.empty()) return "";
  return (list.find(',') == list.npos ? "head " : "heads ") + list;
}

void add_layer(const LayerReport& layer, const std::string& name, std::vector<std::string>& into) {
  if (layer.hidden_off == 1 && layer.budget_deviation < least_spread) {
    into.push_back(join_parts(name, "the controller is dead: no hidden unit has slope, s is ",
                              digits(layer.budget_mean, 3), " for every text"));
  }
  if (layer.saturated > most_saturated) {
    into.push_back(join_parts(name, "the controller is saturated for ",
                              digits(100 * layer.saturated, 1), " % of the texts"));
  }
  const std::string idle = idle_heads(layer);
  if (!idle.empty()) into.push_back(name + "no text runs " + idle);
}

/// How many texts were taken for class c, from its F1 = 2 right / (texts + taken). 0 where none was
/// right.
double taken_for(const Evaluation& evaluation, Index c) {
  const GroupSummary& group = evaluation.text_summary.by_class[c];
  const double texts = static_cast<double>(group.examples), f1 = evaluation.scores.class_f1[c];
  return f1 > 0 ? std::round(texts * (2 * group.accuracy / f1 - 1)) : 0;
}

/// What says that a model tells no classes apart; empty if nothing does.
std::string one_answer(const Evaluation& evaluation) {
  const std::vector<GroupSummary>& classes = evaluation.text_summary.by_class;
  const double texts = static_cast<double>(evaluation.examples);
  Index largest = 0;
  for (const GroupSummary& group : classes) largest = std::max(largest, group.examples);
  if (static_cast<Index>(std::llround(evaluation.scores.accuracy * texts)) == largest) {
    return join_parts("accuracy ", digits(evaluation.scores.accuracy, 4),
                      " is the share of the largest class");
  }
  for (Index c = 0; c < std::min(classes.size(), evaluation.scores.class_f1.size()); ++c) {
    const double taken = taken_for(evaluation, c), own = static_cast<double>(classes[c].examples);
    // Where nearly all texts are of the class, a good model says so of nearly all.
    if (taken < nearly_all * texts || texts - taken >= few_others * (texts - own)) continue;
    return join_parts(digits(100 * taken / texts, 1),
                      " % of the texts are taken for one class, which has ",
                      digits(100 * own / texts, 1), " % of them");
  }
  return "";
}

}  // namespace

std::vector<std::string> alarms(const Evaluation& validation) {
  std::vector<std::string> found;
  for (Index i = 0; i < validation.layers.size(); ++i) {
    add_layer(validation.layers[i], join_parts("layer ", i + 1, ": "), found);
  }
  const std::string one = one_answer(validation);
  if (!one.empty()) found.push_back(one);
  return found;
}

std::vector<std::string> alarms(const EpochReport& epoch) {
  std::vector<std::string> found = alarms(epoch.validation);
  if (epoch.skipped > 0) {
    found.push_back(join_parts(epoch.skipped, epoch.skipped == 1 ? " update was" : " updates were",
                               " skipped: loss or gradient was not finite"));
  }
  if (epoch.loss_spikes > 0) {
    found.push_back(join_parts("the loss spiked ", epoch.loss_spikes,
                               epoch.loss_spikes == 1 ? " time" : " times", ", first at step ",
                               epoch.first_spike));
  }
  for (const std::string& name : epoch.without_gradient) {
    if (epoch.in_force) found.push_back(join_parts("parameter \"", name, "\" got no gradient"));
  }
  return found;
}

std::vector<std::string> new_alarms(std::vector<std::string> now,
                                    const std::vector<std::string>& before) {
  std::erase_if(now, [&](const std::string& alarm) {
    return std::find(before.begin(), before.end(), alarm) != before.end();
  });
  return now;
}

}  // namespace bf
