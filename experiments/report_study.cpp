#include "experiments/report_study.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "experiments/paper_results.h"
#include "experiments/study_charts.h"
#include "experiments/study_commands.h"
#include "experiments/study_findings.h"
#include "experiments/study_opponent_charts.h"
#include "experiments/study_tables.h"
#include "experiments/study_variants.h"
#include "tensor/require.h"

namespace bf {
namespace {

/// Writes both forms at once.
class StudyWriter {
 public:
  explicit StudyWriter(const std::string& title) : page_(title), markdown_("# " + title + "\n") {}

  void heading(const std::string& text) {
    page_.heading(2, text);
    markdown_ += "\n## " + plain_text(text) + "\n\n";
  }
  void paragraph(const std::string& text) {
    page_.paragraph(text);
    markdown_ += plain_text(text) + "\n\n";
  }
  void table(const ReportTable& table) {
    if (table.rows.empty()) return;
    page_.table(table);
    markdown_ += markdown_table(table) + '\n';
  }
  /// A table that the page shows when it is asked for.
  void folded_table(const std::string& title, const ReportTable& table) {
    if (table.rows.empty()) return;
    page_.markup("<details><summary>" + escape_html(title) + "</summary>\n" + html_table(table) +
                 "</details>\n");
    markdown_ += plain_text(title) + ":\n\n" + markdown_table(table) + '\n';
  }
  /// On the page only.
  void markup(const std::string& html) { page_.markup(html); }
  void commands(const std::vector<std::string>& lines) {
    page_.folded(join_parts("The ", lines.size(), " commands"), lines);
    markdown_ += "<details><summary>Commands</summary>\n\n";
    for (const std::string& line : lines) markdown_ += "    " + plain_text(line) + '\n';
    markdown_ += "\n</details>\n";
  }
  /// The picture's number counts those of its part from 1.
  void figure(const Figure& figure, const std::string& part, Index number, const Draw& draw) {
    const Draw kept = [&](const std::string& script) {
      pictures_.emplace_back(join_parts(part, '-', number), draw(script));
      return pictures_.back().second;
    };
    add_figure(page_, figure.sentence, figure.chart, kept);
  }
  StudyReport report() const { return {page_.html(), markdown_, pictures_}; }

 private:
  HtmlPage page_;
  std::string markdown_;
  std::vector<std::pair<std::string, std::string>> pictures_;
};

struct Section {
  const char* part;
  const char* title;
  const char* question;
  std::function<std::vector<Figure>(const StudyPart&)> figures;
  std::function<std::vector<std::string>(const StudyPart&)> findings;
};

const std::vector<Section>& sections() {
  static const std::vector<Section> list = {
      {"main", "BudgetFormer against multi-head attention",
       "How many heads does a text need, is the answer as good, and what is saved?", main_figures,
       main_findings},
      {"mixed", "Does the budget follow the input?",
       "Generated texts of known difficulty: do hard ones get more heads, and are those heads "
       "worth it?",
       mixed_figures, mixed_findings},
      {"budgets", "One model, many budgets",
       "The same trained model, run with a share of its heads that is chosen afterwards.",
       budget_figures, budgets_findings},
      {"opponents", "The honest opponents",
       "Multi-head attention with fewer heads from the start, pruned afterwards, and fixed "
       "budgets.",
       opponent_figures, opponents_findings},
      {"ablation", "Ablations", "The recipe with one part changed or left out.", ablation_figures,
       ablation_findings},
      {"scaling", "Scaling", "Does s fall with model size and rise with little data?",
       scaling_figures, scaling_findings}};
  return list;
}

void write_paper(StudyWriter& writer, const StudyPart& part) {
  const ReportTable table = paper_table(part);
  if (table.rows.empty()) return;
  writer.paragraph(paper_note());
  writer.table(table);
}

void write_section(StudyWriter& writer, const Section& section, const StudyPart& part,
                   const Draw& draw) {
  writer.heading(section.title);
  if (part.groups.empty()) {
    writer.paragraph(join_parts("This part has not been run (no ", part.name, ".jsonl)."));
    return;
  }
  writer.paragraph(section.question);
  for (const std::string& sentence : section.findings(part)) writer.paragraph(sentence);
  Index number = 0;
  for (const Figure& figure : section.figures(part)) {
    if (figure.chart.has_data()) writer.figure(figure, part.name, ++number, draw);
  }
  if (part.name == "scaling") writer.table(scaling_table(part));
  writer.table(study_table(part));
  if (part.name == "main") {
    write_paper(writer, part);
    writer.table(whom_table(part));
  }
  writer.table(grouped_table(part, "by_difficulty"));
  writer.table(grouped_table(part, "by_kind"));
  writer.folded_table("Rank correlation (Spearman) of a text's heads and budget s with what it is",
                      correlation_table(part));
  writer.folded_table("Time, FLOPs, memory, energy", cost_table(part));
  writer.folded_table("What the variants are, by their options", options_table(part));
  writer.commands(commands(part));
}

/// Links to the pages of single models that are in the folder already; "" without any.
std::string other_pages(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".html" && name != "study.html") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  std::string links;
  for (const std::string& name : names) {
    const std::string shown = escape_html(name);
    links += join_parts(links.empty() ? "" : ", ", "<a href=\"", shown, "\">", shown, "</a>");
  }
  return links;
}

}  // namespace

StudyReport report_study(const std::string& folder, const Draw& draw) {
  std::error_code error;
  require_data(std::filesystem::is_directory(folder, error), folder, ": no such study folder");
  std::vector<StudyPart> parts;
  bool any = false;
  for (const Section& section : sections()) {
    parts.push_back(read_study_part(folder, section.part));
    any = any || !parts.back().groups.empty();
  }
  require_data(any, folder, ": holds no part of a study (main.jsonl, mixed.jsonl, ...)");
  StudyWriter writer("BudgetFormer: the study");
  writer.paragraph(
      "Numbers are means over seeds \u00b1 one standard deviation. FLOPs and time are set against "
      "multi-head attention (mha) of the same part and data set, or the reference that the table "
      "names; the ceiling is the speed-up if "
      "every executed FLOP took as long, and can be passed where what was saved ran at a lower "
      "rate than the rest. Heads run: mean over texts and layers. A percentage behind a data set's "
      "name "
      "is the share of its published training rows that was at hand: such results are not those of "
      "the whole set. A deviation that rounds to zero is not written.");
  const std::string pages = other_pages(folder);
  if (!pages.empty()) writer.markup("<p>Single models from the inside: " + pages + ".</p>\n");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    write_section(writer, sections()[i], parts[i], draw);
  }
  return writer.report();
}

}  // namespace bf
