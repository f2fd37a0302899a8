#include "experiments/comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "experiments/table.h"
#include "experiments/training_run.h"
#include "tensor/require.h"
#include "train/report_json.h"

namespace bf {
namespace {

using Group = std::vector<const ComparedModel*>;  // the seeds of one data set and attention
using Value = std::function<double(const ComparedModel&)>;

constexpr Index timed_texts = 2000;
constexpr Index timed_passes = 5;

std::string display_name(const std::string& attention) {
  if (attention == "mha") return "MHA";
  if (attention == "budget") return "BudgetFormer";
  return attention == "fixed" ? "fixed budget" : "random gate";
}

/// Evenly spaced examples: the same mix of lengths in fewer texts.
TokenizedSplit thinned(const TokenizedSplit& split, Index most) {
  const Index count = std::min(most, split.size());
  TokenizedSplit part;
  for (Index i = 0; i < count; ++i) {
    part.tokens.push_back(split.tokens[i * split.size() / count]);
    part.labels.push_back(split.labels[i * split.size() / count]);
  }
  return part;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void time_models(std::vector<Model>& models, const TokenizedSplit& test,
                 std::vector<ComparedModel>& results) {
  const TokenizedSplit texts = thinned(test, timed_texts);
  std::vector<std::vector<double>> seconds(models.size());
  for (Index pass = 0; pass <= timed_passes; ++pass) {
    for (Index i = 0; i < models.size(); ++i) {
      const double taken = evaluate(models[i], texts).seconds;
      if (pass > 0) seconds[i].push_back(taken);
    }
  }
  for (Index i = 0; i < models.size(); ++i) {
    results[i].seconds_per_1000 = 1000 * median(seconds[i]) / static_cast<double>(texts.size());
  }
}

double mean(const Group& group, const Value& value) {
  double sum = 0;
  for (const ComparedModel* model : group) sum += value(*model);
  return sum / static_cast<double>(group.size());
}

/// Standard deviation between seeds, of a sample.
double deviation(const Group& group, const Value& value) {
  const double middle = mean(group, value);
  double squares = 0;
  for (const ComparedModel* model : group) squares += std::pow(value(*model) - middle, 2);
  return std::sqrt(squares / static_cast<double>(group.size() - 1));
}

double accuracy(const ComparedModel& model) { return model.test.scores.accuracy; }
double macro_f1(const ComparedModel& model) { return model.test.scores.macro_f1; }
double budget(const ComparedModel& model) { return model.test.budget_mean(); }
double heads(const ComparedModel& model) { return model.test.heads_mean(model.heads); }
double flops(const ComparedModel& model) { return model.executed_flops_per_text(); }
double seconds(const ComparedModel& model) { return model.seconds_per_1000; }
double megabytes(const ComparedModel& model) {
  return static_cast<double>(model.test.peak_tensor_bytes) / 1e6;
}

std::string percent(double part) { return fixed_digits(100 * part, 1) + " %"; }

std::vector<std::string> cells(const Group& group, const Group& reference) {
  const auto show = [&group](const Value& value, int digits) {
    return fixed_digits(mean(group, value), digits);
  };
  const auto relative = [&](const Value& value) {
    return percent(mean(group, value) / mean(reference, value));
  };
  std::string first = show(accuracy, 4);
  if (group.size() > 1) first += " +- " + fixed_digits(deviation(group, accuracy), 4);
  return {display_name(group.front()->attention),
          first,
          show(macro_f1, 4),
          show(budget, 3),
          show(heads, 2) + " of " + std::to_string(group.front()->heads),
          show([](const ComparedModel& m) { return flops(m) / 1e6; }, 2),
          relative(flops),
          percent(mean(group, [](const ComparedModel& m) { return m.paper_cut(); })),
          show(megabytes, 1),
          show(seconds, 3),
          relative(seconds),
          show([](const ComparedModel& m) { return m.training.seconds; }, 1)};
}

std::string sentence(const Group& group, const Group& reference) {
  return join_parts("On ", group.front()->dataset, ", ", display_name(group.front()->attention),
                    " reaches a test accuracy of ", fixed_digits(mean(group, accuracy), 4),
                    " against ", fixed_digits(mean(reference, accuracy), 4), " of ",
                    display_name(reference.front()->attention), " while it runs ",
                    fixed_digits(mean(group, heads), 2), " of ", group.front()->heads,
                    " heads on average: ", percent(mean(group, flops) / mean(reference, flops)),
                    " of the FLOPs and ", percent(mean(group, seconds) / mean(reference, seconds)),
                    " of the time.\n");
}

/// Groups by `key`, in order of first appearance.
std::vector<Group> grouped(const Group& models, std::string ComparedModel::*key) {
  std::vector<Group> groups;
  for (const ComparedModel* model : models) {
    const auto same = [&](const Group& group) { return group.front()->*key == model->*key; };
    auto place = std::find_if(groups.begin(), groups.end(), same);
    if (place == groups.end()) place = groups.insert(place, Group{});
    place->push_back(model);
  }
  return groups;
}

}  // namespace

double ComparedModel::executed_flops_per_text() const {
  return static_cast<double>(test.executed.total()) / static_cast<double>(test.examples);
}

std::string comparison_folder(const std::string& out, const std::string& dataset,
                              const std::string& attention, std::uint64_t seed) {
  return out.empty() ? "" : join_parts(out, '/', dataset, '-', attention, "-seed", seed);
}

std::vector<ComparedModel> compare_models(const TokenizedData& data, const RunOptions& run,
                                          std::uint64_t seed,
                                          const std::vector<std::string>& attentions,
                                          const nlohmann::json& options, Progress& progress) {
  std::vector<ComparedModel> results;
  std::vector<Model> models;
  for (const std::string& attention : attentions) {
    ModelConfig config = run.model_for(data);
    config.attention = attention;
    config.seed = seed;
    const std::string name = join_parts(data.name, " seed ", seed, ' ', attention);
    TrainingRun trained =
        train_run(data, run, config, name, comparison_folder(run.out, data.name, attention, seed),
                  options, progress);
    ComparedModel result;
    result.dataset = data.name;
    result.attention = attention;
    result.seed = seed;
    result.heads = config.transformer.heads;
    result.parameters = trained.model.net->parameter_count();
    result.training = std::move(trained.training);
    result.test = std::move(trained.test);
    models.push_back(std::move(trained.model));
    results.push_back(std::move(result));
  }
  time_models(models, data.test, results);
  return results;
}

std::string comparison_text(const std::vector<ComparedModel>& models) {
  Group all;
  for (const ComparedModel& model : models) all.push_back(&model);
  std::string tables, sentences;
  for (const Group& dataset : grouped(all, &ComparedModel::dataset)) {
    const std::vector<Group> groups = grouped(dataset, &ComparedModel::attention);
    std::vector<std::vector<std::string>> rows = {
        {dataset.front()->dataset, "accuracy", "macro F1", "s mean", "heads run", "MFLOP/text",
         "FLOPs", "paper cut", "peak MB", "s/1000 texts", "time", "training s"}};
    for (const Group& group : groups) rows.push_back(cells(group, groups.front()));
    tables += table(rows) + '\n';
    for (Index i = 1; i < groups.size(); ++i) sentences += sentence(groups[i], groups.front());
  }
  return tables + sentences;
}

nlohmann::json comparison_json(const std::vector<ComparedModel>& models) {
  nlohmann::json result = nlohmann::json::array();
  for (const ComparedModel& model : models) {
    result.push_back({{"dataset", model.dataset},
                      {"attention", model.attention},
                      {"seed", model.seed},
                      {"heads", model.heads},
                      {"heads_mean", heads(model)},
                      {"parameters", model.parameters},
                      {"paper_cut", model.paper_cut()},
                      {"seconds_per_1000_texts", model.seconds_per_1000},
                      {"test", to_json(model.test)},
                      {"training", to_json(model.training)}});
  }
  return result;
}

}  // namespace bf
