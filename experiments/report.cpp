// bf-report: one page of words, tables and pictures about trained models.

#include <filesystem>
#include <iostream>

#include "experiments/model_options.h"
#include "experiments/options.h"
#include "experiments/report_attention.h"
#include "experiments/report_run.h"
#include "experiments/report_study.h"
#include "experiments/report_texts.h"
#include "nn/atomic_file.h"
#include "tensor/require.h"
#include "train/run_folder.h"
#include "train/text_file.h"

namespace {

using namespace bf;

constexpr const char* about =
    "bf-report: writes one HTML page with pictures made by gnuplot; it needs no network.\n"
    "  --run DIR    about a run folder of bf-train (several: set against each other): what came\n"
    "               out, how the training went, which texts got how many heads and which. With\n"
    "               --texts FILE also what the heads that ran attended to, for each line of FILE.\n"
    "  --study DIR  about the runs of a study, in PART.jsonl files (main, mixed, budgets,\n"
    "               opponents, ablation, scaling): tables over seeds and what they show. With\n"
    "               --markdown FILE also its words and tables as Markdown.";

struct Options {
  std::vector<std::string> runs;
  std::string study, out, markdown, pictures, texts, times;
  Index max_texts = 5, threads = 0;
};

void write_pictures(const std::string& folder, const StudyReport& report) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, svg] : report.pictures) {
    write_whole_file(join_parts(folder, '/', name, ".svg"), svg_file(svg));
  }
}

std::vector<std::string> first_lines(const std::string& path, Index count) {
  TextFile file(path, Encoding::utf8);
  std::vector<std::string> lines;
  for (std::string line; lines.size() < count && file.line(line);) {
    require_data(file.problem().empty(), file.problem());
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

void report_texts_given(HtmlPage& page, const std::string& run,
                        const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  page.heading(2, "Attention of the heads that ran");
  page.note(
      "Each square is one pair of tokens: the row reads the column, dark is much. Shades "
      "follow the square root of the probability; below 2 % a square stays empty.");
  TrainedModel trained = load_run(run);
  for (const std::string& text : texts) {
    report_trace(page, trace(trained, text), text, trained.class_names);
  }
}

void report_run(HtmlPage& page, const RunRecord& run, const std::vector<RunRecord>& runs,
                const std::vector<std::string>& texts, const Draw& draw) {
  page.heading(2, run.name());
  page.markup("<div class=\"headline\">\n");
  for (const std::string& sentence : headline(run, reference_for(run, runs))) {
    page.paragraph(sentence);
  }
  for (const std::string& sentence : for_whom(run)) page.paragraph(sentence);
  page.markup("</div>\n");
  page.folded("Folder, options and environment",
              {run.path, run.config.value("options", nlohmann::json()).dump(1),
               run.config.value("environment", nlohmann::json()).dump(1)});
  page.heading(3, "Training");
  report_training(page, run, draw);
  report_texts(page, run, draw);
  report_texts_given(page, run.path, texts);
}

std::string runs_page(const Options& options, const Draw& draw) {
  std::vector<RunRecord> runs;
  for (const std::string& path : options.runs) {
    runs.push_back(read_run_record(path));
    if (!options.times.empty()) take_times(runs.back(), options.times);
  }
  std::vector<std::string> texts;
  if (!options.texts.empty()) texts = first_lines(options.texts, options.max_texts);
  HtmlPage page(page_title(runs));
  if (runs.size() > 1) {
    page.table(runs_table(runs));
    add_figure(page, "Accuracy against time: up and to the left is better.", time_chart(runs),
               draw);
    page.note(join_parts(
        "Ceiling: the speed-up if every executed FLOP took as long. ",
        options.times.empty()
            ? "Times are of one test pass each, during which other programs may have run."
            : "Times are medians of test passes of the models in turns."));
  }
  for (const RunRecord& run : runs) report_run(page, run, runs, texts, draw);
  return page.html();
}

void check(const Options& options) {
  const bool study = !options.study.empty();
  if (study == !options.runs.empty()) {
    throw UsageError("--run: name the folders of runs with --run, or of a study with --study");
  }
  if (options.out.empty()) throw UsageError("--out: name the page to write");
  if (study && !options.texts.empty())
    throw UsageError("--texts: needs a model; use it with --run");
  if (study && !options.times.empty()) throw UsageError("--times: use it with --run");
  if (!study && !options.markdown.empty()) throw UsageError("--markdown: needs --study");
  if (!study && !options.pictures.empty()) throw UsageError("--pictures: needs --study");
}

int run(int argc, char** argv) {
  Options options;
  OptionList list("Options");
  list.add_options()(
      "run", boost::program_options::value<std::vector<std::string>>(&options.runs)->composing(),
      "a run folder; may be given several times");
  add_text(list, "study", options.study, "folder of a study's PART.jsonl files");
  add_text(list, "out", options.out, "the page to write");
  add_text(list, "markdown", options.markdown,
           "with --study: its tables as Markdown, in this file");
  add_text(list, "pictures", options.pictures,
           "with --study: folder for its pictures as files of their own, PART-N.svg");
  add_text(list, "texts", options.texts,
           "with --run: file of texts, one per line, to show the attention for");
  add_text(list, "times", options.times,
           "with --run: results.jsonl of the bf-compare or bf-ablate that measured these runs in "
           "turns; without it the times are those of each run's test pass");
  add_count(list, "max-texts", options.max_texts, "lines of --texts to show", 1);
  add_threads_option(list, options.threads);
  if (!parse_options(argc, argv, about, list)) return 0;
  check(options);
  use_threads(options.threads);
  Gnuplot gnuplot;
  const Draw draw = [&](const std::string& script) { return gnuplot.draw(script); };
  if (options.study.empty()) {
    write_whole_file(options.out, runs_page(options, draw));
  } else {
    const StudyReport report = report_study(options.study, draw);
    write_whole_file(options.out, report.html);
    if (!options.markdown.empty()) write_whole_file(options.markdown, report.markdown);
    if (!options.pictures.empty()) write_pictures(options.pictures, report);
  }
  std::cout << options.out << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return bf::run_main(argc, argv, run); }
