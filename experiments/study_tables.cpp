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

/// The value per 1,000 test texts of a field that counts all of them.
Measure per_1000_texts(const std::string& path) {
  return [=](const StudyRun& run) {
    return 1000 * number_at(run.record, path) / run.test("examples");
  };
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
          cell(per_1000_texts("/test/energy/joules"), 3),
          cell(per_1000_texts("/test/energy/gco2"), 3, 1000),
          text_at(group.runs.front().record, "/test/energy/source", "-"),
          cell(of_training("/training/train_seconds"), 1),
          cell(field("/parameters"), 0)};
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
  ReportTable table{
      {"data set", "variant", "s / 1000 texts", "MFLOP / text", "FLOPs cut %",
       "cut as the paper counts %", "peak tensors MB", "peak process MB, training",
       "J / 1000 texts", "CO2 mg / 1000 texts", "energy by", "training s", "parameters"},
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
    const bool known = std::any_of(row.begin() + 2, row.end(),
                                   [](const std::string& cell) { return cell != "-"; });
    if (known) table.rows.push_back(row);
  }
  return without_empty_columns(table);
}

std::vector<std::string> names_in(const StudyPart& part, const std::string& field) {
  std::vector<std::string> names;
  for (const StudyGroup& group : part.groups) {
    for (const StudyRun& run : group.runs) {
      for (const nlohmann::json& entry : entries(run, field)) {
        const std::string name = text_at(entry, "/name");
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
          names.push_back(name);
        }
      }
    }
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
    table.rows.push_back(row);
  }
  return without_empty_columns(table);
}

std::vector<std::string> commands(const StudyPart& part) {
  std::vector<std::string> lines;
  for (const StudyGroup& group : part.groups) {
    for (const StudyRun& run : group.runs) {
      lines.push_back(join_parts(run.dataset, ", ", run.variant, ", seed ",
                                 text_at(run.record, "/seed", "?"), ": ", run.command));
    }
  }
  return lines;
}

}  // namespace bf
