#include "experiments/study_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/run_record.h"
#include "experiments/sample.h"
#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

Measure field(const std::string& path) {
  return [path](const StudyRun& run) { return number_at(run.record, path); };
}

/// The array under a field of the test results; empty where there is none.
nlohmann::json entries(const StudyRun& run, const std::string& name) {
  const nlohmann::json::json_pointer path("/test/" + name);
  const bool known = run.record.contains(path) && run.record.at(path).is_array();
  return known ? run.record.at(path) : nlohmann::json::array();
}

/// Adds a name that is not empty and not among the names yet.
void add_name(const std::string& name, std::vector<std::string>& names) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

/// 1 - part / whole of two numbers of one run.
Measure cut(const std::string& part, const std::string& whole) {
  return [=](const StudyRun& run) { return 1 - run.test(part) / run.test(whole); };
}

std::vector<double> inverse(std::vector<double> values) {
  for (double& value : values) value = 1 / value;
  return values;
}

/// Leaves out the columns that say "-" in every row.
ReportTable without_empty_columns(const ReportTable& table) {
  ReportTable result;
  result.rows.resize(table.rows.size());
  for (Index c = 0; c < table.head.size(); ++c) {
    const bool empty =
        std::all_of(table.rows.begin(), table.rows.end(),
                    [c](const std::vector<std::string>& row) { return row[c] == "-"; });
    if (empty && !table.rows.empty()) continue;
    result.head.push_back(table.head[c]);
    for (Index r = 0; r < table.rows.size(); ++r) result.rows[r].push_back(table.rows[r][c]);
  }
  return result;
}

/// Whether a row says anything behind its data set and variant.
bool has_value(const std::vector<std::string>& row) {
  return std::any_of(row.begin() + 2, row.end(),
                     [](const std::string& cell) { return cell != "-"; });
}

/// The field where the model was trained for its run; NaN elsewhere.
Measure of_training(const std::string& path) {
  return [=](const StudyRun& run) {
    return run.trained() ? number_at(run.record, path) : std::numeric_limits<double>::quiet_NaN();
  };
}

std::vector<std::string> study_row(const StudyGroup& group, const StudyGroup* reference) {
  const Measure heads = [](const StudyRun& run) { return run.heads_mean(); };
  std::string run_heads = mean_and_deviation(group.values(heads), 2);
  const double all = group.mean(field("/heads"));
  if (run_heads != "-" && std::isfinite(all)) run_heads += " of " + fixed_digits(all, 0);
  const bool is_reference = &group == reference;
  // Against its own dense model where the data set has no reference.
  std::vector<double> flops = ratios(group, reference, executed_of);
  if (reference == nullptr) {
    flops = group.values(
        [](const StudyRun& run) { return executed_of(run) / run.test("dense_flops_per_text"); });
  }
  const auto unless_reference = [&](const std::vector<double>& values, double factor) {
    return is_reference ? "-" : mean_and_deviation(values, 2, factor);
  };
  return {group.dataset,
          group.variant,
          std::to_string(group.runs.size()),
          mean_and_deviation(group.values(accuracy_of), 2, 100),
          group.reference_name().empty() ? "-" : group.reference_name(),
          unless_reference(differences(group, reference, accuracy_of), 100),
          mean_and_deviation(group.values(field("/test/macro_f1")), 3),
          mean_and_deviation(group.values(field("/test/s_mean")), 3),
          run_heads,
          mean_and_deviation(flops, 1, 100),
          unless_reference(inverse(flops), 1),
          unless_reference(inverse(ratios(group, reference, seconds_of)), 1)};
}

/// The name of the class with this label, or "class 3".
std::string class_title(const StudyGroup& group, const std::string& label) {
  const nlohmann::json& record = group.runs.front().record;
  const auto names = record.find("class_names");
  if (names != record.end() && names->is_array()) {
    for (Index i = 0; i < names->size(); ++i) {
      if (std::to_string(i) == label) return text_at((*names)[i], "", label);
    }
  }
  return "class " + label;
}

/// "World 2.10" of the classes with the fewest and the most heads in all layers, means over seeds.
std::vector<std::string> class_extremes(const StudyGroup& group) {
  std::pair<double, std::string> fewest{0, "-"}, most{0, "-"};
  for (const std::string& name : names_in(group, "by_class")) {
    const double heads = group.mean([&](const StudyRun& run) {
      return grouped_value(run, "by_class", name, "heads_mean_total");
    });
    if (!std::isfinite(heads)) continue;
    const std::pair<double, std::string> entry{heads, class_title(group, name)};
    if (fewest.second == "-" || heads < fewest.first) fewest = entry;
    if (most.second == "-" || heads > most.first) most = entry;
  }
  if (fewest.second != "-" && digits_or_dash(fewest.first, 2) == digits_or_dash(most.first, 2)) {
    fewest.second = most.second = "each";
  }
  const auto cell = [](const std::pair<double, std::string>& entry) {
    return entry.second == "-" ? "-" : entry.second + ' ' + digits_or_dash(entry.first, 2);
  };
  return {cell(fewest), cell(most)};
}

/// usual_heads() of all test texts of a run.
std::string layers_heads(const StudyRun& run) {
  nlohmann::json usage = nlohmann::json::array();
  for (const nlohmann::json& layer : entries(run, "layers")) {
    usage.push_back(numbers_at(layer, "/head_usage"));
  }
  return usual_heads({{"head_usage", usage}});
}

/// "assumed 5 W per busy core; 475 g CO2 per kWh"
std::string energy_source(const StudyRun& run) {
  const std::string source = text_at(run.record, "/energy/source");
  if (source.empty()) return "-";
  constexpr double joules_per_kwh = 3.6e6;
  const double grams = joules_per_kwh * number_at(run.record, "/energy/gco2_per_1000_texts") /
                       number_at(run.record, "/energy/joules_per_1000_texts");
  return join_parts(source, "; ", digits_or_dash(grams, 0), " g CO2 per kWh");
}

std::vector<std::string> cost_row(const StudyGroup& group) {
  const auto cell = [&](const Measure& measure, int digits, double factor = 1) {
    return mean_and_deviation(group.values(measure), digits, factor);
  };
  return {group.dataset,
          group.variant,
          cell(seconds_of, 3),
          cell(executed_of, 3, 1e-6),
          cell(cut("executed_flops_per_text", "dense_flops_per_text"), 1, 100),
          cell(cut("paper_flops_per_text", "dense_flops_per_text"), 1, 100),
          cell(field("/test/peak_tensor_bytes"), 1, 1e-6),
          cell(of_training("/test/peak_process_bytes"), 1, 1e-6),
          cell(field("/energy/joules_per_1000_texts"), 3),
          cell(field("/energy/gco2_per_1000_texts"), 3, 1000),
          energy_source(group.runs.front()),
          cell(field("/parameters"), 0),
          cell(field("/training_rows"), 0),
          cell(field("/test/examples"), 0)};
}

}  // namespace

ReportTable study_table(const StudyPart& part) {
  bool own_references = false;
  for (const StudyGroup& group : part.groups) {
    const std::string name = group.reference_name();
    own_references = own_references || !(name.empty() || name == "mha");
  }
  const std::string reference = own_references ? "reference" : "mha";
  ReportTable table{{"data set", "variant", "seeds", "accuracy %", "reference",
                     "points against " + reference, "macro F1", "s mean", "heads run",
                     join_parts("FLOPs, % of ", reference), "ceiling", "times as fast"},
                    {}};
  for (const StudyGroup& group : part.groups) {
    table.rows.push_back(study_row(group, part.reference(group)));
    if (!own_references) table.rows.back()[4] = "-";
  }
  return without_empty_columns(table);
}

ReportTable cost_table(const StudyPart& part) {
  ReportTable table{{"data set", "variant", "s / 1000 texts", "MFLOP / text", "FLOPs cut %",
                     "cut as the paper counts %", "peak tensors MB", "peak process MB, training",
                     "J / 1000 texts", "CO2 mg / 1000 texts", "energy by", "parameters",
                     "training rows", "test texts"},
                    {}};
  for (const StudyGroup& group : part.groups) table.rows.push_back(cost_row(group));
  return without_empty_columns(table);
}

ReportTable correlation_table(const StudyPart& part) {
  ReportTable table{{"data set", "variant", "heads and difficulty", "heads and loss",
                     "heads and length", "s and loss", "s and length"},
                    {}};
  for (const StudyGroup& group : part.groups) {
    std::vector<std::string> row = {group.dataset, group.variant};
    for (const char* name :
         {"difficulty_heads", "heads_loss", "heads_length", "s_loss", "s_length"}) {
      row.push_back(
          mean_and_deviation(group.values(field(std::string("/test/spearman_") + name)), 2));
    }
    if (has_value(row)) table.rows.push_back(row);
  }
  return without_empty_columns(table);
}

std::string usual_heads(const nlohmann::json& texts) {
  std::string heads;
  for (Index layer = 0;; ++layer) {
    const std::vector<double> usage = numbers_at(texts, join_parts("/head_usage/", layer));
    if (usage.empty()) return heads;
    for (Index h = 0; h < usage.size(); ++h) {
      if (usage[h] <= 0.5) continue;
      heads += join_parts(heads.empty() ? "" : " ", layer + 1, '/', h + 1);
    }
  }
}

ReportTable whom_table(const StudyPart& part) {
  ReportTable table{
      {"data set", "variant", "class with the fewest heads, all layers", "with the most",
       "tenth with the lowest s: heads", "tokens", "accuracy %", "tenth with the highest s: heads",
       "tokens", "accuracy %", "usual heads, seed 1"},
      {}};
  for (const StudyGroup& group : part.groups) {
    if (!group.runs.front().budgets()) continue;
    std::vector<std::string> row = {group.dataset, group.variant};
    for (const std::string& cell : class_extremes(group)) row.push_back(cell);
    for (const std::string tenth : {"cheapest_tenth", "dearest_tenth"}) {
      const auto cell = [&](const char* name, int digits, double factor) {
        return mean_and_deviation(group.values(field("/test/" + tenth + '/' + name)), digits,
                                  factor);
      };
      row.push_back(cell("heads_mean_total", 2, 1));
      row.push_back(cell("tokens_mean", 1, 1));
      row.push_back(cell("accuracy", 1, 100));
    }
    row.push_back(layers_heads(group.runs.front()));
    table.rows.push_back(row);
  }
  return table;
}

std::vector<std::string> names_in(const StudyGroup& group, const std::string& field) {
  std::vector<std::string> names;
  for (const StudyRun& run : group.runs) {
    for (const nlohmann::json& entry : entries(run, field))
      add_name(text_at(entry, "/name"), names);
  }
  return names;
}

std::vector<std::string> names_in(const StudyPart& part, const std::string& field) {
  std::vector<std::string> names;
  for (const StudyGroup& group : part.groups) {
    for (const std::string& name : names_in(group, field)) add_name(name, names);
  }
  return names;
}

double grouped_value(const StudyRun& run, const std::string& field, const std::string& name,
                     const std::string& value) {
  for (const nlohmann::json& entry : entries(run, field)) {
    if (text_at(entry, "/name") == name) return number_at(entry, '/' + value);
  }
  return std::nan("");
}

ReportTable grouped_table(const StudyPart& part, const std::string& field) {
  ReportTable table{{"data set", "variant"}, {}};
  const std::vector<std::string> names = names_in(part, field);
  if (names.empty()) return table;
  for (const std::string& name : names) {
    table.head.push_back(name + ", accuracy %");
    table.head.push_back(name + ", heads");
  }
  for (const StudyGroup& group : part.groups) {
    std::vector<std::string> row = {group.dataset, group.variant};
    for (const std::string& name : names) {
      const auto cell = [&](const char* value, int digits, double factor) {
        row.push_back(mean_and_deviation(group.values([&](const StudyRun& run) {
          return grouped_value(run, field, name, value);
        }),
                                         digits, factor));
      };
      cell("accuracy", 1, 100);
      cell("heads_mean_total", 2, 1);
    }
    if (has_value(row)) table.rows.push_back(row);
  }
  return without_empty_columns(table);
}

}  // namespace bf
