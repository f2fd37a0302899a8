// The folder of a run, as bf-report reads and shows it: one of its four texts is the input.

#include <array>

#include "experiments/report_run.h"
#include "experiments/report_texts.h"
#include "experiments/run_record.h"
#include "tests/fuzz/fuzz.h"

namespace bf::fuzz {
namespace {

constexpr std::array<const char*, 4> names{"config.json", "summary.json", "metrics.jsonl",
                                           "test_texts.jsonl"};

/// What a small run leaves.
constexpr std::array<std::string_view, 4> ordinary{
    R"({"dataset": "any", "model": {"attention": "budget", "transformer": {"layers": 2, "heads": 2}}})",
    R"({"test": {"accuracy": 0.5, "examples": 2, "seconds": 1, "s_mean": 0.5, "layers": [)"
    R"({"heads_mean": 1, "head_usage": [1, 0]}, {"heads_mean": 1, "head_usage": [0, 1]}]}})",
    R"({"step": {"step": 1, "loss": 2, "tau": 1}})"
    "\n"
    R"({"epoch": {"epoch": 1, "step": 1, "train_loss": 2, "best": true, "validation": {"loss": 2}}})"
    "\n",
    R"({"index": 0, "label": 1, "prediction": 0, "tokens": 3, "loss": 1, "difficulty": "easy",)"
    R"( "kind": "keyword", "s": [0.5, 0.5], "heads": [[0], [1]]})"
    "\n"};

}  // namespace

void report(std::string_view bytes) {
  const auto which = static_cast<std::size_t>(choice(bytes, names.size()));
  const std::string folder = folder_of("report");
  for (std::size_t i = 0; i < names.size(); ++i) {
    place(folder, names[i], i == which ? bytes : ordinary[i], static_cast<int>(i) + 1);
  }
  refused_well(folder, [&] {
    const RunRecord run = read_run_record(folder);
    HtmlPage page(run.name());
    page.table(runs_table({run}));
    for (const std::string& sentence : headline(run, nullptr)) page.paragraph(sentence);
    for (const std::string& sentence : for_whom(run)) page.paragraph(sentence);
    const Draw draw = [](const std::string& script) {
      expect(script.find('\0') == std::string::npos, "a NUL for gnuplot");
      return std::string("<svg></svg>");
    };
    report_training(page, run, draw);
    report_texts(page, run, draw);
    time_chart({run});
    const std::string html = page.html();
    expect(html.find("<script") == std::string::npos, "a script in a page");
  });
}

}  // namespace bf::fuzz
