#include "experiments/report_run.h"

#include <doctest/doctest.h>

using namespace bf;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

RunRecord small_record(const std::string& attention) {
  RunRecord run;
  run.path = attention;
  run.config = {
      {"dataset", "trec"},
      {"model",
       {{"attention", attention}, {"transformer", {{"layers", 2}, {"heads", 4}, {"dim", 32}}}}}};
  const bool dense = attention == "mha";
  run.summary["test"] = {{"accuracy", dense ? 0.75 : 0.8},
                         {"macro_f1", 0.7},
                         {"examples", 500},
                         {"seconds", dense ? 2.0 : 1.6},
                         {"energy", {{"joules", 0.75}, {"gco2", 2e-5}}},
                         {"s_mean", dense ? 1.0 : 0.25},
                         {"dense_flops_per_text", 4e6},
                         {"executed_flops_per_text", dense ? 4e6 : 2.5e6}};
  if (!dense) {
    run.summary["test"]["layers"] = {{{"heads_mean", 1.0}, {"head_usage", {0.0, 0.0, 1.0, 0.0}}},
                                     {{"heads_mean", 1.5}, {"head_usage", {0.3, 0.0, 0.005, 1.0}}}};
  }
  return run;
}

/// Two epochs with everything, but for one layer's entropy in the first.
void add_training(RunRecord& run) {
  run.summary["training"]["best_epoch"] = 1;
  run.steps = {{{"step", 10}, {"loss", 1.0}, {"tau", 0.5}, {"noise", 0.2}}};
  for (const int epoch : {1, 2}) {
    run.epochs.push_back(
        {{"epoch", epoch},
         {"step", 100 * epoch},
         {"train_loss", 0.9},
         {"validation",
          {{"loss", 0.8},
           {"accuracy", 0.7},
           {"s_mean", 0.5},
           {"layers",
            {{{"s_mean", 0.4}, {"heads_mean", 2}}, {{"s_mean", 0.6}, {"heads_mean", 3}}}}}}});
  }
}

}  // namespace

TEST_CASE("report_run: the headline says how many heads, which, and what it saved") {
  const std::vector<RunRecord> runs = {small_record("budget"), small_record("mha")};
  const auto sentences = headline(runs[0], reference_for(runs[0], runs));
  REQUIRE(sentences.size() == 4);
  CHECK(sentences[0] ==
        "On trec, BudgetFormer with 2 layers of 4 heads (D = 32) reaches a test accuracy of 80.0 % "
        "on 500 texts, multi-head attention 75.0 %; macro-F1 is 0.700.");
  CHECK(sentences[1] ==
        "A text runs 1.25 of 4 heads in each layer on average (layer 1: 1.00, layer 2: 1.50); the "
        "mean budget s is 0.250.");
  CHECK(sentences[2] ==
        "Which heads, and the share of the test texts that run them (5 % or more): layer 1: 3 (100 "
        "%); layer 2: "
        "4 (100 %), 1 (30 %). 4 of the 8 heads never run.");
  CHECK(sentences[3] ==
        "It executes 62.5 % of the FLOPs of the same model with every head (2.50 of 4.00 MFLOP per "
        "text), which makes it 1.60 times as fast if every FLOP takes as long: that is the "
        "ceiling. On the clock it was 1.25 times as fast (3.200 against 4.000 s per 1,000 texts, "
        "one test pass each; other "
        "programs may have run).");
}

TEST_CASE("report_run: a page is named after its data and models") {
  std::vector<RunRecord> runs = {small_record("budget"), small_record("mha")};
  CHECK(page_title({runs[0]}) == "trec: BudgetFormer");
  CHECK(page_title(runs) == "trec: BudgetFormer and multi-head attention");
  runs[1].timed = {{"dataset", "trec (44 %)"}};
  CHECK(page_title(runs) == "trec: BudgetFormer and multi-head attention, trec (44 %)");
}

TEST_CASE("report_run: times measured in turns are said to be so") {
  std::vector<RunRecord> runs = {small_record("budget"), small_record("mha")};
  runs[0].timed = {{"seconds_per_1000_texts", 2.0}};
  CHECK(holds(headline(runs[0], &runs[1])[3], "one test pass each"));
  runs[1].timed = {{"seconds_per_1000_texts", 5.0}};
  CHECK(holds(headline(runs[0], &runs[1])[3],
              "it was 2.50 times as fast (2.000 against 5.000 s per 1,000 texts, medians of passes "
              "in turns)."));
}

TEST_CASE("report_run: without a reference, or a summary, the headline says so") {
  const RunRecord run = small_record("budget");
  CHECK(holds(headline(run, nullptr)[3], "a run of multi-head attention on this page would show"));
  CHECK(headline(small_record("mha"), nullptr)[1] ==
        "Every text runs all 4 heads of every layer: 4.00 MFLOP and 4.000 ms per text.");
  RunRecord running = run;
  running.summary = nullptr;
  CHECK(headline(running, nullptr) ==
        std::vector<std::string>{"This run of BudgetFormer is not complete (no summary.json): 0 "
                                 "epochs so far."});
}

TEST_CASE("report_run: the reference has the same data and the same shape") {
  std::vector<RunRecord> runs = {small_record("budget"), small_record("mha")};
  CHECK(reference_for(runs[0], runs) == &runs[1]);
  CHECK(reference_for(runs[1], runs) == nullptr);
  runs[1].config["model"]["transformer"]["layers"] = 4;
  CHECK(reference_for(runs[0], runs) == nullptr);
  runs[1] = small_record("mha");
  runs[1].config["dataset"] = "r8";
  CHECK(reference_for(runs[0], runs) == nullptr);
}

TEST_CASE("report_run: training is drawn from what was logged, the rest is noted") {
  RunRecord run = small_record("budget");
  add_training(run);
  HtmlPage page("t");
  std::vector<std::string> scripts;
  report_training(page, run, [&](const std::string& script) {
    scripts.push_back(script);
    return std::string("PICTURE");
  });
  REQUIRE(scripts.size() == 6);  // loss, accuracy, s, heads, tau and noise, usage map
  CHECK(holds(scripts[0], "'training, steps'"));
  CHECK(holds(scripts[1], "validation accuracy (%)"));
  CHECK(holds(scripts[0], "set arrow from first 100,graph 0"));
  CHECK(holds(scripts[2], "title 'layer 2'"));
  CHECK(holds(scripts[3], "set yrange [0:4.32]"));
  CHECK(holds(scripts[5], "'layer 1' 0, 'layer 2' 1"));
  CHECK(holds(page.html(), "Not recorded in this run: entropy (nats)"));
  CHECK(holds(page.html(), "Not recorded in this run: weight in the loss"));
}

TEST_CASE("report_run: a run of multi-head attention without any log is only notes") {
  HtmlPage page("t");
  report_training(page, small_record("mha"), [](const std::string&) { return "PICTURE"; });
  CHECK_FALSE(holds(page.html(), "PICTURE"));
}

TEST_CASE("report_run: accuracy against time, measured and at the ceiling") {
  const Chart chart = time_chart({small_record("budget"), small_record("mha")});
  CHECK(chart.curves[0].x[0] == doctest::Approx(2.5));
  CHECK(chart.curves[1].x[0] == doctest::Approx(3.2));
  CHECK(chart.curves[1].names[1] == "trec, mha");
  CHECK(chart.curves[1].y == std::vector<double>{80, 75});
}

TEST_CASE("report_run: the table sets each run against its reference") {
  RunRecord budget = small_record("budget");
  budget.path = "runs/of/" + budget.path;
  const ReportTable table = runs_table({budget, small_record("mha")});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0] == std::vector<std::string>{"budget", "trec", "BudgetFormer", "80.00",
                                                  "0.700", "0.250", "1.25 of 4", "62.5 %", "1.60",
                                                  "3.200", "1.25", "-", "1.500", "0.040"});
  CHECK(table.rows[1][10] == "-");
}
