#include "experiments/report_run.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "experiments/sample.h"
#include "experiments/table.h"
#include "tensor/require.h"

namespace bf {
namespace {

using nlohmann::json;

std::string percent(double share, int digits = 1) {
  return digits_or_dash(100 * share, digits) + " %";
}

/// A field of every epoch, times `factor`, against the steps done by its end.
Curve epoch_curve(const RunRecord& run, const std::string& path, const std::string& label,
                  Colour colour, double factor = 1) {
  Curve curve{label, {}, {}, {}, {}, CurveStyle::line_points, colour};
  for (const json& epoch : run.epochs) {
    curve.x.push_back(number_at(epoch, "/step"));
    curve.y.push_back(factor * number_at(epoch, path));
  }
  return curve;
}

/// A field of every logged step; of very many steps, the mean of neighbours.
Curve step_curve(const RunRecord& run, const std::string& path, const std::string& label,
                 Colour colour) {
  constexpr Index most = 300;
  std::vector<double> steps, values;
  for (const json& step : run.steps) {
    steps.push_back(number_at(step, "/step"));
    values.push_back(number_at(step, path));
  }
  Curve curve{label, {}, {}, {}, {}, CurveStyle::line, colour};
  for (const Bin& bin : bins(steps, values, most)) {
    curve.x.push_back(bin.x);
    curve.y.push_back(bin.mean);
  }
  return curve;
}

/// A field of every layer over the epochs; beyond the last colour the lines are dashed.
std::vector<Curve> layer_curves(const RunRecord& run, const std::string& field) {
  std::vector<Curve> curves;
  for (Index i = 0; i < run.layers(); ++i) {
    curves.push_back(epoch_curve(run, join_parts("/validation/layers/", i, '/', field),
                                 join_parts("layer ", i + 1), colour_in_turn(i)));
    if (i >= colour_count) curves.back().style = CurveStyle::dashed;
  }
  return curves;
}

Chart over_training(const RunRecord& run, const std::string& label, std::vector<Curve> curves) {
  Chart chart{.x_label = "training step", .y_label = label, .curves = std::move(curves)};
  double best = number_at(run.summary, "/training/best_epoch");
  for (const json& epoch : run.epochs) {
    const bool chosen = text_at(epoch, "/best") == "true";
    if (number_at(epoch, "/epoch") == best || (!(best > 0) && chosen)) {
      chart.mark = number_at(epoch, "/step");
    }
  }
  return chart;
}

/// "head 5 (100 %), head 2 (31 %)": those that at least 5 texts of 100 run.
std::string heads_used(const std::vector<double>& usage) {
  std::vector<std::pair<double, Index>> used;
  for (Index h = 0; h < usage.size(); ++h) {
    if (usage[h] >= 0.05) used.emplace_back(-usage[h], h + 1);
  }
  std::sort(used.begin(), used.end());
  std::string text;
  for (const auto& [share, head] : used) {
    text += join_parts(text.empty() ? "" : ", ", head, " (", percent(-share, 0), ")");
  }
  return text.empty() ? "none" : text;
}

std::string which_heads(const RunRecord& run) {
  std::string text = "Which heads, and the share of the test texts that run them (5 % or more): ";
  Index idle = 0;
  for (Index i = 0; i < run.layers(); ++i) {
    const auto usage = numbers_at(run.summary, join_parts("/test/layers/", i, "/head_usage"));
    idle += static_cast<Index>(std::count(usage.begin(), usage.end(), 0.0));
    text += join_parts(i > 0 ? "; layer " : "layer ", i + 1, ": ", heads_used(usage));
  }
  return join_parts(text, ". ", idle, " of the ", run.layers() * run.heads(), " heads never run.");
}

std::string how_many(const RunRecord& run) {
  std::string text = join_parts("A text runs ", digits_or_dash(run.heads_mean(), 2), " of ",
                                run.heads(), " heads in each layer on average (");
  for (Index i = 0; i < run.layers(); ++i) {
    text += join_parts(i > 0 ? ", " : "", "layer ", i + 1, ": ",
                       digits_or_dash(run.test(join_parts("layers/", i, "/heads_mean")), 2));
  }
  return text + "); the mean budget s is " + digits_or_dash(run.test("s_mean"), 3) + '.';
}

std::string what_it_saved(const RunRecord& run, const RunRecord* reference) {
  const double own = run.test("executed_flops_per_text");
  const double dense = reference != nullptr ? reference->test("executed_flops_per_text")
                                            : run.test("dense_flops_per_text");
  std::string text = join_parts(
      "It executes ", percent(own / dense), " of the FLOPs of the same model with every head (",
      digits_or_dash(own / 1e6, 2), " of ", digits_or_dash(dense / 1e6, 2),
      " MFLOP per text), which makes it ", digits_or_dash(dense / own, 2),
      " times as fast if every FLOP takes as long: that is the ceiling. ");
  if (reference == nullptr) {
    return text + join_parts("The test pass took ", digits_or_dash(run.seconds_per_1000(), 3),
                             " s per 1,000 texts; a run of multi-head attention on this page "
                             "would show what was saved on the clock.");
  }
  return text +
         join_parts("On the clock it was ",
                    digits_or_dash(reference->seconds_per_1000() / run.seconds_per_1000(), 2),
                    " times as fast (", digits_or_dash(run.seconds_per_1000(), 3), " against ",
                    digits_or_dash(reference->seconds_per_1000(), 3), " s per 1,000 texts, ",
                    run.timed.is_null() || reference->timed.is_null()
                        ? "one test pass each; other programs may have run)."
                        : "medians of passes in turns).");
}

HeatMap usage_map(const RunRecord& run) {
  HeatMap map{.x_label = "head", .y_label = "", .value_label = "share of test texts"};
  for (Index h = 0; h < run.heads(); ++h) map.columns.push_back(std::to_string(h + 1));
  for (Index i = 0; i < run.layers(); ++i) {
    const auto usage = numbers_at(run.summary, join_parts("/test/layers/", i, "/head_usage"));
    if (usage.size() != run.heads()) continue;
    map.rows.push_back(join_parts("layer ", i + 1));
    map.values.push_back(usage);
  }
  map.with_numbers = run.heads() <= 12;
  map.height = 130 + 34 * std::max<Index>(map.rows.size(), 3);
  return map;
}

void report_policy(HtmlPage& page, const RunRecord& run, const Draw& draw) {
  std::vector<Curve> budgets = layer_curves(run, "s_mean");
  budgets.push_back(epoch_curve(run, "/validation/s_mean", "mean", Colour::black));
  Chart chart = over_training(run, "budget s (share of the heads)", budgets);
  chart.from_zero = true;
  add_figure(page, "The budget s on validation texts: the lower, the fewer heads a text gets.",
             chart, draw);
  chart = over_training(run, "heads run per text", layer_curves(run, "heads_mean"));
  chart.from_zero = true;
  chart.highest = static_cast<double>(run.heads());
  add_figure(page, join_parts("Heads that run in each layer, of ", run.heads(), "."), chart, draw);
  chart = over_training(run, "entropy (nats)", layer_curves(run, "entropy_mean_nats"));
  chart.from_zero = true;
  add_figure(page,
             join_parts("Entropy of the relevance of heads: ",
                        fixed_digits(std::log(static_cast<double>(run.heads())), 2),
                        " if all heads are equally relevant, 0 once the choice is clear or while "
                        "every head runs."),
             chart, draw);
  chart = over_training(run, "tau, noise",
                        {step_curve(run, "/tau", "temperature tau", Colour::blue),
                         step_curve(run, "/noise", "noise nu", Colour::vermillion)});
  chart.from_zero = true;
  add_figure(page, "Exploration: with falling temperature and noise the choice of heads settles.",
             chart, draw);
  chart = over_training(run, "weight in the loss",
                        {step_curve(run, "/price", "price of a head", Colour::green),
                         step_curve(run, "/entropy_weight", "entropy weight", Colour::purple)});
  chart.from_zero = true;
  add_figure(page,
             "What the loss asks for: how much a head costs, and whether to spread the choice "
             "(above 0) or to commit (below).",
             chart, draw);
  add_figure(page, "Which heads run: dark heads serve most test texts, light ones none.",
             usage_map(run), draw);
}

}  // namespace

std::string model_title(const std::string& attention) {
  if (attention == "mha") return "multi-head attention";
  if (attention == "budget") return "BudgetFormer";
  if (attention == "fixed") return "BudgetFormer with a fixed budget";
  if (attention == "random") return "BudgetFormer with a random gate";
  return attention;
}

std::string page_title(const std::vector<RunRecord>& runs) {
  std::string models;
  for (const RunRecord& run : runs) {
    const std::string model = model_title(text_at(run.config, "/model/attention", "unknown model"));
    const std::string same = runs.front().dataset() == run.dataset() ? "" : ", " + run.dataset();
    models += join_parts(models.empty() ? "" : " and ", model, same);
  }
  return runs.front().dataset() + ": " + models;
}

const RunRecord* reference_for(const RunRecord& run, const std::vector<RunRecord>& runs) {
  if (!run.budgets()) return nullptr;
  const auto shape = [](const RunRecord& r) {
    return join_parts(text_at(r.config, "/dataset"), ' ', r.layers(), ' ', r.heads(), ' ',
                      number_at(r.config, "/model/transformer/dim"), ' ', r.test("examples"));
  };
  for (const RunRecord& other : runs) {
    if (!other.budgets() && !other.summary.is_null() && shape(other) == shape(run)) return &other;
  }
  return nullptr;
}

std::vector<std::string> headline(const RunRecord& run, const RunRecord* reference) {
  const std::string model = text_at(run.config, "/model/attention", "unknown model");
  if (run.summary.is_null()) {
    return {join_parts("This run of ", model_title(model), " is not complete (no summary.json): ",
                       run.epochs.size(), " epochs so far.")};
  }
  std::string first = join_parts("On ", run.dataset(), ", ", model_title(model), " with ",
                                 run.layers(), " layers of ", run.heads(),
                                 " heads (D = ", text_at(run.config, "/model/transformer/dim", "?"),
                                 ") reaches a test accuracy of ", percent(run.test("accuracy")),
                                 " on ", text_at(run.summary, "/test/examples", "?"), " texts");
  if (reference != nullptr) {
    first += ", multi-head attention " + percent(reference->test("accuracy"));
  }
  first += join_parts("; macro-F1 is ", digits_or_dash(run.test("macro_f1"), 3), ".");
  if (!run.budgets()) {
    return {first,
            join_parts("Every text runs all ", run.heads(), " heads of every layer: ",
                       digits_or_dash(run.test("executed_flops_per_text") / 1e6, 2), " MFLOP and ",
                       digits_or_dash(run.seconds_per_1000(), 3), " ms per text.")};
  }
  return {first, how_many(run), which_heads(run), what_it_saved(run, reference)};
}

void report_training(HtmlPage& page, const RunRecord& run, const Draw& draw) {
  const bool budgets = run.budgets();
  page.note("A dashed line stands at the end of the epoch whose model was kept.");
  std::vector<Curve> losses = {
      step_curve(run, "/loss", "training, steps", Colour::sky),
      epoch_curve(run, "/train_loss", "training, epochs", Colour::blue),
      epoch_curve(run, "/validation/loss", "validation", Colour::vermillion)};
  add_figure(page, "Loss: where validation rises while training falls, the model learns by heart.",
             over_training(run, "cross entropy (nats)", losses), draw);
  std::vector<Curve> accuracies = {epoch_curve(run, "/validation/accuracy",
                                               budgets ? "selected heads" : "validation",
                                               Colour::vermillion, 100)};
  if (budgets) {
    accuracies.push_back(
        epoch_curve(run, "/validation_soft_accuracy", "all heads, soft gates", Colour::blue, 100));
  }
  add_figure(page,
             budgets ? "Validation accuracy with only the selected heads and with the soft gates: "
                       "their distance is the gap between training and inference."
                     : "Validation accuracy.",
             over_training(run, "validation accuracy (%)", accuracies), draw);
  if (budgets) report_policy(page, run, draw);
}

Chart time_chart(const std::vector<RunRecord>& runs) {
  Chart chart{.x_label = "s per 1,000 texts", .y_label = "test accuracy (%)"};
  Curve measured{"measured", {}, {}, {}, {}, CurveStyle::points, Colour::blue};
  Curve ceiling{
      "at the ceiling set by the FLOPs", {}, {}, {}, {}, CurveStyle::points, Colour::orange};
  for (const RunRecord& run : runs) {
    const RunRecord* reference = reference_for(run, runs);
    measured.x.push_back(run.seconds_per_1000());
    measured.y.push_back(100 * run.test("accuracy"));
    measured.names.push_back(run.name());
    if (reference == nullptr) continue;
    ceiling.x.push_back(reference->seconds_per_1000() * run.test("executed_flops_per_text") /
                        reference->test("executed_flops_per_text"));
    ceiling.y.push_back(100 * run.test("accuracy"));
  }
  chart.curves = {ceiling, measured};
  return chart;
}

ReportTable runs_table(const std::vector<RunRecord>& runs) {
  ReportTable table{{"run", "data set", "model", "accuracy %", "macro F1", "s mean", "heads run",
                     "FLOPs executed", "ceiling", "s / 1000 texts", "times as fast", "peak MB",
                     "J / 1000 texts", "CO2 mg / 1000 texts"},
                    {}};
  for (const RunRecord& run : runs) {
    const RunRecord* reference = reference_for(run, runs);
    const double share = reference != nullptr ? run.test("executed_flops_per_text") /
                                                    reference->test("executed_flops_per_text")
                                              : run.executed_share();
    const double fast =
        reference != nullptr ? reference->seconds_per_1000() / run.seconds_per_1000() : missing;
    table.rows.push_back(
        {std::filesystem::path(run.path).filename().string(), run.dataset(),
         model_title(text_at(run.config, "/model/attention", "-")),
         digits_or_dash(100 * run.test("accuracy"), 2), digits_or_dash(run.test("macro_f1"), 3),
         digits_or_dash(run.test("s_mean"), 3),
         join_parts(digits_or_dash(run.heads_mean(), 2), " of ", run.heads()), percent(share),
         digits_or_dash(1 / share, 2), digits_or_dash(run.seconds_per_1000(), 3),
         digits_or_dash(fast, 2), digits_or_dash(run.test("peak_tensor_bytes") / 1e6, 1),
         digits_or_dash(run.joules_per_1000(), 3), digits_or_dash(1000 * run.gco2_per_1000(), 3)});
  }
  return table;
}

}  // namespace bf
