#include "experiments/comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

using nlohmann::json;

using Group = std::vector<const json*>;  // the seeds of one data set and variant
using Value = std::function<double(const json&)>;

std::string text_of(const json& result, const char* key) {
  return result.at(key).get<std::string>();
}

Value of_test(const char* key) {
  return [key](const json& result) { return result.at("test").at(key).get<double>(); };
}

double heads(const json& result) {
  return heads_run(result.at("test"), result.at("heads").get<double>());
}

double seconds(const json& result) { return result.at("seconds_per_1000_texts").get<double>(); }

/// How much less than dense the model costs if only the attention core counts, as in the paper.
double paper_cut(const json& result) {
  return 1 - of_test("paper_flops_per_text")(result) / of_test("dense_flops_per_text")(result);
}

double mean(const Group& group, const Value& value) {
  double sum = 0;
  for (const json* result : group) sum += value(*result);
  return sum / static_cast<double>(group.size());
}

/// Standard deviation between seeds, of a sample.
double deviation(const Group& group, const Value& value) {
  const double middle = mean(group, value);
  double squares = 0;
  for (const json* result : group) squares += std::pow(value(*result) - middle, 2);
  return std::sqrt(squares / static_cast<double>(group.size() - 1));
}

std::string percent(double part) { return fixed_digits(100 * part, 1) + " %"; }

const std::vector<std::string> columns = {"accuracy",     "macro F1", "s mean",    "heads run",
                                          "MFLOP/text",   "FLOPs",    "paper cut", "peak MB",
                                          "s/1000 texts", "time",     "training s"};

std::vector<std::string> cells(const Group& group, const Group& reference) {
  const auto show = [&group](const Value& value, int digits, double unit = 1) {
    return fixed_digits(mean(group, value) / unit, digits);
  };
  const auto relative = [&](const Value& value) {
    return percent(mean(group, value) / mean(reference, value));
  };
  const json& any = *group.front();
  std::string accuracy = show(of_test("accuracy"), 4);
  if (group.size() > 1) accuracy += " +- " + fixed_digits(deviation(group, of_test("accuracy")), 4);
  return {
      display_name(text_of(any, "variant")),
      accuracy,
      show(of_test("macro_f1"), 4),
      show(of_test("s_mean"), 3),
      join_parts(show(heads, 2), " of ", any.at("heads").get<int>()),
      show(of_test("executed_flops_per_text"), 2, 1e6),
      relative(of_test("executed_flops_per_text")),
      percent(mean(group, paper_cut)),
      show(of_test("peak_tensor_bytes"), 1, 1e6),
      show(seconds, 3),
      relative(seconds),
      show([](const json& r) { return r.at("training").at("train_seconds").get<double>(); }, 1)};
}

std::string sentence(const Group& group, const Group& reference) {
  const Value accuracy = of_test("accuracy"), flops = of_test("executed_flops_per_text");
  const double flops_left = mean(group, flops) / mean(reference, flops);
  const double time_left = mean(group, seconds) / mean(reference, seconds);
  return join_parts(
      "On ", text_of(*group.front(), "dataset"), ", ",
      display_name(text_of(*group.front(), "variant")), " reaches a test accuracy of ",
      fixed_digits(mean(group, accuracy), 4), " against ",
      fixed_digits(mean(reference, accuracy), 4), " of ",
      display_name(text_of(*reference.front(), "variant")), " while it runs ",
      fixed_digits(mean(group, heads), 2), " of ", group.front()->at("heads").get<int>(),
      " heads on average: ", percent(flops_left), " of the FLOPs, which allow a speed-up of ",
      fixed_digits(1 / flops_left, 2), ", and ", percent(time_left), " of the time, a speed-up of ",
      fixed_digits(1 / time_left, 2), ".\n");
}

/// Groups by the text under `key`, in order of first appearance.
std::vector<Group> grouped(const Group& results, const char* key) {
  std::vector<Group> groups;
  for (const json* result : results) {
    const auto same = [&](const Group& group) {
      return *group.front()->find(key) == result->at(key);
    };
    auto place = std::find_if(groups.begin(), groups.end(), same);
    if (place == groups.end()) place = groups.insert(place, Group{});
    place->push_back(result);
  }
  return groups;
}

const Group& reference_of(const Group& group, const std::vector<Group>& groups) {
  for (const Group& other : groups) {
    if (other.front()->at("variant") == group.front()->at("reference")) return other;
  }
  return groups.front();
}

}  // namespace

std::string display_name(const std::string& variant) {
  if (variant == "mha") return "MHA";
  if (variant == "budget") return "BudgetFormer";
  if (variant == "fixed") return "fixed budget";
  return variant == "random" ? "random gate" : variant;
}

double heads_run(const json& test, double heads) {
  const json& layers = test.at("layers");
  if (layers.empty()) return heads;
  double sum = 0;
  for (const json& layer : layers) sum += layer.at("heads_mean").get<double>();
  return sum / static_cast<double>(layers.size());
}

std::string comparison_text(const std::vector<json>& results) {
  Group all;
  for (const json& result : results) all.push_back(&result);
  std::string tables, sentences;
  for (const Group& dataset : grouped(all, "dataset")) {
    const std::vector<Group> groups = grouped(dataset, "variant");
    std::vector<std::vector<std::string>> rows = {{text_of(*dataset.front(), "dataset")}};
    rows[0].insert(rows[0].end(), columns.begin(), columns.end());
    for (const Group& group : groups) {
      const Group& reference = reference_of(group, groups);
      rows.push_back(cells(group, reference));
      if (&group != &reference) sentences += sentence(group, reference);
    }
    tables += table(rows) + '\n';
  }
  return tables + sentences;
}

std::string json_lines(const std::vector<json>& results) {
  std::string lines;
  for (const json& result : results) lines += result.dump() + '\n';
  return lines;
}

}  // namespace bf
